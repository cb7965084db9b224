import { wordList } from './word-list.ts';

/**
 * Nouns that only say what kind of thing is meant by what stands beside them: "the values are -3.25 and -2.75", "the size is 42", "character
 * Pip". Without them the sentence says the same, as long as everything else of it stays together.
 */
export const CARRIER_NOUNS = wordList(`
  value size list round character module item entry amount figure rate role total recipe occasion case area field brand model process
  place purpose date title day time version feature matter topic task post result reading medication match rule
`);

/**
 * Verbs that carry nothing but their object or place, with what must stand in their clause: "weighs 3.4 kg" a
 * mass, "let off the leash" the leash.
 */
export const CARRIER_VERBS: ReadonlyMap<string, RegExp | null> = new Map([
  ['weigh', /^number:.* (?:kg|g|lb|oz|t)$/],
  ['last', /^number:.* (?:min|h|s|day|week|month|year)$/],
  ['long', /^number:.* (?:min|h|s|day|week|month|year|m|cm|mm|km|ft|in)$/],
  ['run', /^(?:number|code):/],
  ['let', /^(?:leash|lead)$/],
  ['ticket', /^=?(?:speed|park)/],
  ['set', /^(?:date:|time:|limit$|goal$|budget$)/],
  ['reachable', /^(?:email|phone|url|number|code):/],
  ['down', /^=(?:written|write|writes|wrote|writing)$/],
  ['charge', /^number:/],
  ['hold', /^number:/],
  ['mark', /^(?:date|time):/],
  ['live', null],
  ['publish', /^(?:=posts?|article)$/],
  ['give', null],
  ['put', null],
  ['show', null],
  ['stay', null],
]);

/** Words that a summary says with glue: "bought a bike" is "got a bike", when all the rest is kept. */
export const GLUE_FOR: ReadonlyMap<string, RegExp> = new Map([
  ['buy', / (?:gets?|got|getting|gotten) /],
  ['obtain', / (?:gets?|got|getting|gotten) /],
  ['eat', / (?:has|have|had|having) /],
  ['drink', / (?:has|have|had|having) /],
  ['carry', / (?:has|have|had|having|takes?|took|taken|taking) /],
  ['hold', / (?:has|have|had|having) /],
  ['set', / (?:scheduled|held) /],
  ['extra', / plus /],
]);

/** Words that a summary may add to what one source says in one sentence, with what must stand in their clause. */
export const ADDED_CARRIERS: ReadonlyMap<string, RegExp | null> = new Map([
  ['weigh', /^number:.* (?:kg|g|lb|oz|t)$/],
  ['last', /^number:.* (?:min|h|s|day|week|month|year)$/],
  ['long', /^number:.* (?:min|h|s|day|week|month|year|m|cm|mm|km|ft|in)$/],
  ['value', /^number:/],
  ['=reading', /^number:/],
  ['amount', /^number:/],
  ['=written', /^language$/],
  ['=leaving', /^op:not$/],
  ['share', /^(?:room|bedroom|flat|apartment|cabin|tent|bed)$/],
  ['run', null],
  ['give', null],
  ['hold', null],
  ['character', null],
]);

/** Breeds by species: who is told to be a greyhound need not be told to be a dog. */
export const BREEDS = new Map(
  `dog greyhound labrador retriever poodle beagle spaniel terrier collie shepherd dachshund pug bulldog husky corgi whippet boxer rottweiler
  doberman schnauzer maltese chihuahua mutt mongrel puppy labradoodle cockapoo dalmatian setter pointer mastiff vizsla
|cat siamese persian siberian ragdoll tabby ginger tomcat bengal shorthair kitten birman sphynx
|horse pony mare gelding stallion foal haflinger icelandic
|bird budgie parakeet canary cockatiel parrot finch
|rabbit lop angora`
    .split('|')
    .flatMap((line) => {
      const [species = '', ...breeds] = line.trim().split(/\s+/);
      return breeds.map((breed): [string, string] => [breed, species]);
    }),
);
