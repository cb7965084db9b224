import { formOf } from './lexicon/foreign-forms.ts';
import { wordList } from './lexicon/word-list.ts';

/**
 * Inflections that change no fact, by language: plurals, cases, agreement, and the persons of the present. Past and future endings are not
 * among them, nor are the endings that tell a brother from a sister. Longest first.
 */
const ENDINGS = new Map<string, readonly string[]>(
  Object.entries({
    de: 'ern en er em es et st e n t s',
    fr: 'ent es ons ez e s x',
    es: 'es os as emos amos en an s o a e',
    it: 'ano ono iamo o a e i',
    pt: 'ões es os as em am emos amos s o a e',
    nl: 'en t e s n',
    pl: 'ami ach ego emu ych ymi ów om ę ą y i e a u o ie em am im ym ją',
    sv: 'arna erna orna ar er or en et na n t a e r s',
    ru: 'ами ями ого его ому ему ыми ими ают яют уют ает яет ует ют ут ет ит ят ат аю яю ах ях ой ей ый ий ая яя ое ее ые ие ую юю ам ям ом ем ов ев а я о е и ы у ю ь',
    tr: 'ları leri lar ler ın in un ün nın nin nun nün dan den tan ten ını ini unu ünü yım yim yum yüm ya ye da de ta te na ne yı yi yu yü ım im um üm ı i u ü a e',
    hi: 'ों ें ी े ा ि',
    ar: 'ات ون ين ها هم نا ه ي ك',
    ko: '에서는 에서 에게 으로 부터 까지 은 는 이 가 을 를 에 의 와 과 로 도',
  }).map(([code, endings]) => [code, endings.split(' ').sort((one, other) => other.length - one.length)]),
);

const TITLES = wordList(
  'dr docteur doctor doctora dottore dottoressa doutor doutora doktor dokter д-р доктор',
);
/** Words that their ending tells apart: never shortened. */
export const EXACT = wordList(`
  hermano hermana hermanos hermanas hijo hija hijos hijas niño niña tío tía primo prima abuelo abuela sobrino sobrina nieto nieta
  novio novia amigo amiga suegro suegra cuñado cuñada vecino vecina gato gata perro perra
  zio zia nonno nonna figlio figlia amico amica cugino cugina nipote suocero suocera cognato cognata gatto gatta ragazzo ragazza
  filho filha irmão irmã tio tia avô avó primo prima neto neta sobrinho sobrinha namorado namorada menino menina amigo amiga gato gata
  cousin cousine ami amie voisin voisine
  freund freundin kollege kollegin nachbar nachbarin chef chefin
  menos más mas meno più moins plus mehr weniger meer minder
  после до перед
`);

/** How often an ending is taken off: where a case follows a number or a possessor. */
const ROUNDS = new Map([
  ['de', 2],
  ['tr', 3],
]);
const MIN_STEM = 3;
const MIN_LATER_STEM = 4;
const SHORT_STEMS = new Set(['ko', 'hi']);
/** In German and Dutch a short word may end in these by itself: Sohn, Haus, woon. */
const OWN_ENDS = new Set(['n', 's']);

/** A word of a language other than English without the endings that change no fact. */
export function foreignStem(written: string, code: string): string {
  if (EXACT.has(written)) return written;
  const form = formOf(written, code);
  if (form !== null) return form;
  const endings = ENDINGS.get(code);
  const word = respelled(TITLES.has(written) ? 'dr' : written, code);
  if (!endings) return word;
  let stem = code === 'ar' ? withoutArticle(word) : code === 'ko' ? koreanVerb(word) : word;
  if (code === 'ko' && stem !== word) return stem;
  for (let round = 0; round < (ROUNDS.get(code) ?? 1); round += 1) {
    const min = SHORT_STEMS.has(code) ? 1 : round === 0 ? MIN_STEM : MIN_LATER_STEM;
    const ending = endings.find((end) => {
      const least =
        (code === 'de' || code === 'nl') && OWN_ENDS.has(end) ? Math.max(min, MIN_LATER_STEM) : min;
      return stem.length - end.length >= least && stem.endsWith(end);
    });
    if (ending === undefined) break;
    stem = stem.slice(0, -ending.length);
    // Behind a genitive there may be another ending; "wohnte" is not "wohnt".
    if (code === 'de' && ending !== 's' && ending !== 'es') break;
    if (code === 'ko') stem = koreanVerb(stem);
  }
  return afterwards(stem, code);
}

function respelled(word: string, code: string): string {
  // The plural of -ión has no accent.
  if (code === 'es') return word.replace(/ión$/, 'ion').replace(/(.{3,}[aei]r)(?:me|se|nos)$/, '$1');
  if (code === 'it') return word.replace(/(.{3,}[ai]r|.{5,}er)(?:mi|si|ti|ci|vi)$/, '$1e');
  if (code === 'ru') return word.replaceAll('ё', 'е').replace(/(?:ся|сь)$/, '');
  // "kupiłem", "kupiłam": who did it is told elsewhere.
  if (code === 'pl')
    return word
      .replace(/(ł)[ea]m$/, '$1')
      .replace(/(ł)[aoy]$/, '$1')
      .replace(/li$/, 'ł');
  return word;
}

/** What endings leave behind: doubled letters, hardened ones, letters that come and go. */
export function afterwards(stem: string, code: string): string {
  switch (code) {
    case 'nl':
      return stem
        .replace(/([aeou])\1/g, '$1')
        .replace(/([bdfgklmnprst])\1$/, '$1')
        .replace(/v$/, 'f')
        .replace(/z$/, 's');
    case 'it':
      return stem.replace(/([cg])h$/, '$1');
    case 'pl':
      return stem.replaceAll('ó', 'o').replace(/c$/, 'k').replace(/dz$/, 'g').replace(/rz$/, 'r');
    case 'ru':
      return stem.replace(/([бвгджзклмнпрстфхцчшщ])[ео]к$/, '$1к');
    case 'tr':
      return stem.replace(/ğ$/, 'k').replace(/b$/, 'p').replace(/c$/, 'ç').replace(/d$/, 't');
    default:
      return stem;
  }
}

/** The Arabic article, and "and" before it; the ending of the feminine is written as it is before a possessor. */
function withoutArticle(word: string): string {
  let stem = word.replace(/ة$/, 'ت');
  if (stem.startsWith('و') && stem.length > 3) stem = stem.slice(1);
  if (/^[لب]ال/.test(stem) && stem.length > 5) stem = stem.slice(1);
  if (stem.startsWith('لل') && stem.length > 4) stem = stem.slice(2);
  if (stem.startsWith('ال') && stem.length > 4) stem = stem.slice(2);
  return stem;
}

const KOREAN_ENDINGS = /(?:습니다|으며|지만|는다|으니|음|고|며|면서|는데|다)$/;
/** Ways in which a clause goes on or ends with "is". */
const KOREAN_COPULA = /(?:이었|였)?(?:이고|이며|이다|입니다|인데|임)$/;
const SYLLABLES = 0xac00;
const FINALS = 28;
/** Consonants at the end of a syllable that belong to an ending: ㄴ다, ㅂ니다, ㅁ. */
const FINAL_N = 4;
const FINAL_B = 17;
const FINAL_M = 16;

/** A Korean verb without what joins it to the next clause or ends the sentence: 일한다, 일하고, 일하며. */
function koreanVerb(word: string): string {
  const copula = word.replace(KOREAN_COPULA, '');
  if (copula !== word && copula !== '') return copula;
  if (word.length > 2 && word.endsWith('니다') && !word.endsWith('습니다'))
    return openSyllable(word.slice(0, -2), FINAL_B);
  if (word.length > 1 && word.endsWith('다') && !word.endsWith('는다')) {
    const opened = openSyllable(word.slice(0, -1), FINAL_N);
    if (opened !== word.slice(0, -1)) return opened;
  }
  if (word.length > 1 && word.endsWith('함')) return openSyllable(word, FINAL_M);
  if (word.length > 2 && word.endsWith('한')) return openSyllable(word, FINAL_N);
  const stem = word.replace(KOREAN_ENDINGS, '');
  return stem === '' ? word : stem;
}

function openSyllable(text: string, final: number): string {
  const last = text.charCodeAt(text.length - 1) - SYLLABLES;
  if (last < 0 || last % FINALS !== final) return text;
  return text.slice(0, -1) + String.fromCharCode(last - final + SYLLABLES);
}
