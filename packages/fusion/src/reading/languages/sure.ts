import { COMMON_ENGLISH, COMMON_VERBS } from '../common-words.ts';
import { stemOf } from '../words.ts';
import { LANGUAGES } from './all.ts';
import type { Language } from './language.ts';
import { words } from './language.ts';
import { TELLING } from './untabled.ts';

/** Verbs, nouns and adjectives of everyday notes; of English there is a longer list. */
const EVERYDAY: Readonly<Record<string, string>> = {
  en: `keeps kept rides sees met saw ate wears likes drives lives takes makes uses says gives comes has goes gets does owes owns sits stands
    hen hens cow cows goat goats bee bees sheep kid kids eggs`,
  de: `wohnt arbeitet mag liebt trinkt isst spielt fährt lebt hasst heißt heisst geht kommt macht nimmt hält besitzt braucht kauft verkauft
    spricht lernt liest schreibt schläft studiert sammelt kocht zahlt trägt kann will muss soll darf gern gerne lieber allergisch alt
    groß klein neu gut rot blau grün schwarz weiß vegetarisch verheiratet`,
  fr: `habite travaille aime préfère possède mange boit joue parle étudie vit vient va fait prend achète vend lit écrit dort veut peut doit
    appelle déteste collectionne cuisine voiture maison chat chien fille fils rouge bleu bleue vert verte noir noire blanc blanche grand
    grande petit petite allergique marié mariée`,
  es: `vive trabaja prefiere tiene come bebe juega habla estudia gusta gustan odia compra vende lee escribe duerme quiere puede debe llama
    viene va hace toma lleva colecciona cocina coche casa gato perro hija hijo rojo roja azul verde negro negra blanco blanca grande
    pequeño pequeña alérgico alérgica casado casada`,
  it: `abita vive lavora preferisce ama mangia beve gioca parla studia compra vende legge scrive dorme vuole può deve chiama viene va fa
    prende piace piacciono odia colleziona cucina macchina casa gatto cane figlia figlio rosso rossa verde nero nera bianco bianca
    grande piccolo piccola allergico allergica sposato sposata`,
  pt: `vive mora prefere gosta tem trabalha come bebe joga fala estuda compra vende lê escreve dorme quer pode deve chama vem vai faz toma
    odeia coleciona cozinha carro casa gato cão cachorro filha filho vermelho vermelha azul verde preto preta branco branca grande
    pequeno pequena alérgico alérgica casado casada`,
  nl: `woont werkt houdt drinkt eet speelt spreekt studeert koopt verkoopt leest schrijft slaapt wil kan moet mag heet komt gaat doet
    neemt haat verzamelt kookt rijdt auto huis kat hond dochter zoon rood blauw groen zwart groot klein allergisch getrouwd`,
};
/** The letters of a language's own words. */
const LETTERS: Readonly<Record<string, RegExp>> = {
  en: /^[a-zéèêïç'’]+$/u,
  de: /^[a-zäöüßé'’]+$/u,
  fr: /^[a-zàâæçéèêëîïôœùûüÿ'’]+$/u,
  es: /^[a-záéíóúüñ'’]+$/u,
  it: /^[a-zàèéìíòóùú'’]+$/u,
  pt: /^[a-zàáâãçéêíóôõúü'’]+$/u,
  nl: /^[a-zàáéèêëíïóöúü'’]+$/u,
};

/** Common words of languages without a table, as far as a language with one has the same: they prove neither. */
const SHARED = words(`
  for to her at and den is over under men man sin has kind god hat got bare all alle far mor fast by let hun han vi var som en et er du de
  om kan vil mig dig ud op ned ind af min din hus dag sen sent men ett mot runt lite hem ska har fick gick
  me he on hän tai sen eli nyt kun jos niin oli ovat
  a az van mint ha nem is de egy ez be ki le fel
  do na ten to by po pod nad od za se si je ale tak jak pro bez dva pan
  di dan ada air itu ini ke dia kami akan sudah pada dari yang
  an em anh con hai ban sang cho khi ba co la mua
  am are un o din care cum pe nu fata sale mare an ani avea ca fi mai
  el els les una per que amb al del i no en va ha he som es ser tot
  ir uz no par kas bet un tas vai to ar es man
  ta ma on ja see oli kui aga siis
  it is op in de en ik sy hy het met die vir was nie kom
  ve bu o da bir her var yok ile ki ne
  mi li la al kaj de ne unu
  ang ng sa na at si ay mga
  na ya wa ni kwa la za si alikuwa
`);
const PLAIN_LETTERS = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const LOOKED_AT = 4_000;
const FEW = 2;

const VOCABULARY: readonly { language: Language; has: (word: string) => boolean }[] = LANGUAGES.map(
  (language) => {
    const plain = new Set([
      ...language.stopWords,
      ...language.negators,
      ...language.weekdays.keys(),
      ...language.months.keys(),
      ...language.units.keys(),
      ...language.seasons.keys(),
      ...language.numbers.keys(),
      ...words(EVERYDAY[language.code] ?? ''),
    ]);
    if (language.code !== 'en') return { language, has: (word: string) => plain.has(word) };
    const stems = new Set([...COMMON_VERBS, ...COMMON_ENGLISH].map(stemOf));
    return { language, has: (word: string) => plain.has(word) || stems.has(stemOf(word)) };
  },
);
const FOREIGN = new Set([...TELLING.values()].flatMap((telling) => [...telling]));

/**
 * The language of a text when there is no doubt and it has a table; null otherwise, so that short texts of names alone have none. At least
 * two and half of its words are of that language, more than of any other, one of them of no other, and none has a letter that it lacks.
 */
export function sureLanguage(text: string): Language | null {
  const spoken = text.slice(0, LOOKED_AT).normalize('NFC').match(PLAIN_LETTERS) ?? [];
  if (!spoken.every((word) => /^\p{sc=Latin}/u.test(word))) return null;
  const plain = spoken.filter((word) => !/\p{Lu}/u.test(word));
  // A capital may make a name of any word; only where there is hardly another one does it count.
  const counted = plain.length >= FEW ? plain : spoken.filter((word) => !/\p{Lu}/u.test(word.slice(1)));
  const counts = VOCABULARY.map(() => ({ known: 0, own: 0 }));
  let words = 0;
  for (const written of counted) {
    const word = written.toLowerCase().replaceAll('’', "'");
    const owners = VOCABULARY.flatMap(({ has }, at) => (has(word) ? [at] : []));
    if (owners.length === 0 && FOREIGN.has(word)) return null;
    if (owners.length === 0 && written !== word) continue;
    words += 1;
    for (const at of owners) counts[at]!.known += 1;
    if (owners.length === 1 && !SHARED.has(word) && !FOREIGN.has(word)) counts[owners[0]!]!.own += 1;
  }
  const most = Math.max(...counts.map(({ known }) => known));
  const best = counts.findIndex(({ known }) => known === most);
  const isAlone = counts.every(({ known }, at) => at === best || known < most);
  if (!isAlone || counts[best]!.own === 0 || most < FEW || most * 2 < words) return null;
  const { language } = VOCABULARY[best]!;
  return plain.every((word) => LETTERS[language.code]!.test(word)) ? language : null;
}
