import { ADJECTIVES } from './lexicon/classes.ts';
import { NOUN_FORMS, VERB_FORMS } from './lexicon/irregular.ts';
import { SYNONYMS } from './lexicon/synonyms.ts';
import { wordList } from './lexicon/word-list.ts';

/** Words whose ending is no ending. */
const WHOLE = wordList(`
  hardly nearly lately shortly barely only early family daily weekly monthly yearly july italy reply supply apply fly rally likely friendly
  lonely ugly lovely belly jelly assembly bully lily holy rely ally multiply butterfly anomaly imply comply silly curly
  thing king ring spring string wing sing bring sting evening morning ceiling sibling during nothing something anything everything pudding
  wedding building clothing bed red shed feed need seed speed weed bleed breed indeed hundred sacred naked embed sled wed
  this his its was has does yes us bus gas plus less always news series lens perhaps across thus business address access process
  progress express boss class glass grass pass miss kiss loss cross dress press stress mess guess unless fitness wireless
  employee trainee committee coffee refugee fee tree three free knee bee see agree degree
  paris james chris thomas texas kansas dallas swiss
  never ever other mother father brother sister daughter water winter summer october september november december number paper
  letter butter better dinner corner computer center order offer user under over after later former either neither rather
  together whether weather another river finger shoulder flower shower tower power member ginger pepper cancer fever
  silver copper leather matter chapter master monster hamster semester quarter meter liter theater character consider remember
  answer wonder deliver discover cover recover suffer prefer refer transfer differ enter filter register cluster docker server container
  customer partner spider tiger beer deer career engineer volunteer pioneer her per super proper upper lower inner outer
  doctor actor color error mirror motor minor major floor door poor indoor outdoor senior junior interior exterior prior author
  tutor factor sector vector monitor editor humor labor harbor neighbor flavor favor tumor terror horror donor visitor
  general several animal hospital capital personal national international local social final total normal formal legal royal metal
  medal signal hotel journal rental material official special
  city university community country county party study body copy story history family company army enemy energy factory
  memory salary library diary industry country century surgery battery grocery pharmacy bakery gallery delivery
  station nation vacation location
  plant grant want aunt restaurant elephant giant instant constant distant important apartment department document moment comment
  garment basement student parent patient client agent talent accent event present silent recent absent different current
  science experience audience influence sentence reference conference difference preference
  basic music public topic traffic fabric clinic picnic magic tragic comic plastic elastic republic organic
  table cable stable vegetable able unable comfortable
  native active motive relative detective
`);

const MIN_STEM = 4;
/** Derivational endings, longest first; what is left must still be a word's worth of letters. */
const ENDINGS = [
  'ational',
  'ization',
  'isation',
  'ability',
  'ibility',
  'fulness',
  'ication',
  'ically',
  'ation',
  'ition',
  'ional',
  'ement',
  'ement',
  'ment',
  'ness',
  'ance',
  'ence',
  'ancy',
  'ency',
  'able',
  'ible',
  'tion',
  'sion',
  'ical',
  'ious',
  'ity',
  'ism',
  'ist',
  'ive',
  'ize',
  'ise',
  'ous',
  'ful',
  'ant',
  'ent',
  'ion',
  'ial',
  'al',
  'ic',
  'er',
  'or',
  'y',
];

/** One vowel before one consonant at the end: "car", "plan". With an "e" behind it, it is another word: "care", "plane". */
const SHORT = /^[^aeiou]*[aeiou][^aeiouwxy]$/;

/** Verbs of one syllable that are written with two: "filled", "added" have lost nothing but their ending. */
const DOUBLED = /^(?:[^aeiou]*[aeiou]ll|add|err|egg|ebb)$/;

const INFLECTIONS = new Map<string, string>();
const CLASSES = readClasses();

function readClasses(): {
  words: Map<string, string>;
  phrases: Map<string, { words: string[]; name: string }[]>;
} {
  const words = new Map<string, string>();
  const phrases = new Map<string, { words: string[]; name: string }[]>();
  const set = (word: string, name: string): void => {
    if (!words.has(word)) words.set(word, name);
  };
  for (const line of SYNONYMS.split('\n')) {
    const entries = line.split(' ').filter((entry) => entry !== '');
    const first = entries[0];
    if (first === undefined) continue;
    const name = words.get(first) ?? first;
    for (const entry of entries) {
      if (!entry.includes('_')) {
        set(entry, name);
        set(inflectionOf(entry), name);
        continue;
      }
      const parts = entry.split('_');
      const start = startOf(parts[0]!);
      const same = phrases.get(start) ?? [];
      phrases.set(start, same);
      same.push({ words: parts, name });
    }
  }
  for (const same of phrases.values()) same.sort((one, other) => other.words.length - one.words.length);
  return { words, phrases };
}

function startOf(word: string): string {
  return inflectionOf(word);
}

/** The longest phrase of the synonym table that begins at `at`, by base forms: "gave up" is "give_up". */
export function phraseAt(words: readonly string[], at: number): { name: string; length: number } | null {
  const first = words[at];
  if (first === undefined || first === '') return null;
  const same = CLASSES.phrases.get(startOf(first));
  if (!same) return null;
  for (const phrase of same) {
    if (phrase.words.every((word, index) => isForm(words[at + index], word))) {
      return { name: phrase.name, length: phrase.words.length };
    }
  }
  return null;
}

function isForm(said: string | undefined, wanted: string): boolean {
  if (said === undefined) return false;
  return said === wanted || (inflectionOf(wanted) === wanted && inflectionOf(said) === wanted);
}

/** A word without its inflection: plural, third person, -ing, -ed, irregular forms. Consistent rather than a word: "moved" gives "mov". */
export function inflectionOf(word: string): string {
  const known = INFLECTIONS.get(word);
  if (known !== undefined) return known;
  const found = inflect(word);
  if (INFLECTIONS.size > 20_000) INFLECTIONS.clear();
  INFLECTIONS.set(word, found);
  return found;
}

function inflect(word: string): string {
  const noun = NOUN_FORMS.get(word);
  if (noun !== undefined) return dropE(noun);
  const verb = VERB_FORMS.get(word);
  if (verb) return dropE(verb.base);
  if (word.length <= 3 || !/^[a-z]+$/.test(word) || WHOLE.has(word)) return word;
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) return `${stem.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz|o)es$/.test(stem)) return dropE(stem.slice(0, -2));
  if (/[^sui]s$/.test(stem)) {
    stem = stem.slice(0, -1);
    const inner = NOUN_FORMS.get(stem);
    if (inner !== undefined) return dropE(inner);
    if (WHOLE.has(stem)) return stem;
  }
  if (stem.endsWith('ying') && stem.length > 5) return `${stem.slice(0, -4)}y`;
  if (stem.endsWith('ing') && stem.length >= 6 && hasVowel(stem.slice(0, -3)))
    return verbOf(stem.slice(0, -3));
  if (stem.endsWith('ied') && stem.length > 4) return `${stem.slice(0, -3)}y`;
  if (stem.endsWith('ed') && stem.length >= 5 && hasVowel(stem.slice(0, -2)))
    return verbOf(stem.slice(0, -2));
  return dropE(stem);
}

function dropE(word: string): string {
  if (word.length <= 3 || !word.endsWith('e') || word.endsWith('ee')) return word;
  const stem = word.slice(0, -1);
  return SHORT.test(stem) ? word : stem;
}

/** What is left of a form in -ing or -ed: "hop" of "hoping" is "hope", while "hopping" leaves "hopp". */
function verbOf(stem: string): string {
  return SHORT.test(stem) ? `${stem}e` : dropE(undouble(stem));
}

function hasVowel(text: string): boolean {
  return /[aeiouy]/.test(text);
}

function undouble(stem: string): string {
  if (DOUBLED.test(stem)) return stem;
  return /([bdgmnprtlv])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

/** Folded without the marks of Latin letters, so that "café" is "cafe". */
export function plainLatin(word: string): string {
  return /^[ -~]*$/.test(word) ? word : word.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
}

const LEMMAS = new Map<string, string>();

/**
 * The name of the class that an English word belongs to: one for all its inflected and derived forms and its synonyms ("allergic",
 * "allergies"; "bought", "purchase"). Words that are no English come back nearly as they are.
 */
export function lemmaOf(word: string): string {
  const known = LEMMAS.get(word);
  if (known !== undefined) return known;
  const found = findLemma(word);
  if (LEMMAS.size > 20_000) LEMMAS.clear();
  LEMMAS.set(word, found);
  return found;
}

/** The class that a word is listed in itself, or its base form is; null where only a word that it is derived from is listed ("therapy"). */
export function directClassOf(word: string): string | null {
  const { words } = CLASSES;
  return words.get(word) ?? words.get(inflectionOf(word)) ?? null;
}

function findLemma(word: string): string {
  const { words } = CLASSES;
  const direct = words.get(word);
  if (direct !== undefined) return direct;
  const base = inflectionOf(word);
  const inflected = words.get(base);
  if (inflected !== undefined) return inflected;
  if (base.length > 3 && base.endsWith('l') && words.has(`${base}l`)) return words.get(`${base}l`)!;
  const family = familyOf(base);
  return words.get(family) ?? family;
}

/** Without derivational endings, where enough is left. */
function familyOf(base: string): string {
  if (!/^[a-z]+$/.test(base) || WHOLE.has(base) || WHOLE.has(`${base}e`) || ADJECTIVES.has(base)) return base;
  if (base.endsWith('er') && isComparative(base)) return base;
  if (base.endsWith('est') && isSuperlative(base)) return base;
  if (base.endsWith('ly') && base.length >= 6)
    return familyOf(dropE(base.endsWith('ily') ? `${base.slice(0, -3)}y` : base.slice(0, -2)));
  for (const ending of ENDINGS) {
    if (!base.endsWith(ending)) continue;
    let stem = base.slice(0, -ending.length);
    if (stem.length < MIN_STEM || !hasVowel(stem)) continue;
    if ((ending === 'er' || ending === 'or') && /[aeiou]$/.test(stem)) continue;
    if (stem.endsWith('i')) stem = stem.slice(0, -1);
    return dropE(undouble(stem));
  }
  return base;
}

function isComparative(base: string): boolean {
  const stem = base.slice(0, -2);
  return (
    ADJECTIVES.has(stem) ||
    ADJECTIVES.has(`${stem}e`) ||
    ADJECTIVES.has(undouble(stem)) ||
    ADJECTIVES.has(stem.replace(/i$/, 'y'))
  );
}

function isSuperlative(base: string): boolean {
  return isComparative(base.slice(0, -1));
}
