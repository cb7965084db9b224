import { type Atom, type AtomKind, readAtoms } from '../reading/atoms.ts';
import { COMMON_VERBS } from '../reading/common-words.ts';
import { spokenText } from '../reading/spoken.ts';
import { readTokens, type Token } from '../reading/tokens.ts';
import { atomUnits, quoteUnits } from './atom-units.ts';
import { type Place, placeTokens } from './borders.ts';
import {
  isPointer,
  isReporting,
  type Meaning,
  readMeanings,
  splitWord,
  tenseOf,
  type Word,
} from './english.ts';
import { isForeignUser, splitElision } from './foreign.ts';
import { readForeign } from './foreign-reading.ts';
import { foreignStem } from './foreign-stems.ts';
import { directClassOf, inflectionOf, lemmaOf } from './lemma.ts';
import { KIN, USER_WORDS } from './lexicon/classes.ts';
import { GLUE } from './lexicon/glue.ts';
import { UNCHANGING, VERB_FORMS } from './lexicon/irregular.ts';
import { joinResumed } from './resumed.ts';
import type { Statement, Unit } from './unit.ts';
import { readRun } from './unspaced.ts';

/** Kinds of atoms that are read here from the words themselves. */
const OWN_KINDS = new Set<string>(['name', 'negation', 'quote']);
const PAST_WORDS = new Set(['was', 'were', 'had']);
const PRESENT_WORDS = new Set(['is', 'are', 'am', 's', 'm', 're']);
/** What may stand between "is" and what somebody is. */
const COPULA_FILLERS = new Set([
  'a',
  'an',
  'the',
  'my',
  'his',
  'her',
  'also',
  'still',
  'very',
  'really',
  'now',
  'currently',
  'both',
  'just',
  'quite',
  'already',
]);
/** Kin of whom there is one, named as by a name. */
const UNIQUE = new Set([
  'mother',
  'father',
  'grandmother',
  'grandfather',
  'wife',
  'husband',
  'mother-in-law',
  'father-in-law',
]);
/** Words that a noun follows, not a verb. */
const NOUN_NEXT = new Set(['the', 'a', 'an', 'my', 'our', 'his', 'her', 'their', 's', 'this', 'that']);
const DEFINITE = new Set(['my', 'our', 's', 'his', 'her', 'their', 'the', 'this', 'that', 'your', 'user']);
/** Words after which an "s" is a verb and no possessive. */
const BEFORE_IS = new Set(['he', 'she', 'it', 'that', 'who', 'there', 'what', 'this']);
const KIN_LEMMAS = new Set([...KIN].map(lemmaOf));
const KIN_BASES = new Set([...KIN].map(inflectionOf));
/** Titles that stand before a name. */
const TITLED = new Set(['mr', 'mrs', 'ms', 'miss', 'dr', 'prof', 'professor', 'doctor', 'sir', 'madam']);
const VERB_LEMMAS = new Set([...COMMON_VERBS].map(lemmaOf));
/** Glue that makes a clause of what it stands in. */
const FINITE = new Set([
  'is',
  'are',
  'am',
  'was',
  'were',
  'has',
  'have',
  'had',
  'does',
  'do',
  'did',
  'can',
  'will',
  'takes',
  'goes',
  'went',
  'took',
  'gets',
  'got',
  'uses',
  'used',
  'makes',
  'made',
  's',
  'm',
  're',
  've',
]);
const THIRD = new Set([
  'he',
  'she',
  'him',
  'her',
  'his',
  'hers',
  'they',
  'them',
  'their',
  'it',
  'its',
  'who',
  'whose',
  'which',
  'where',
  'there',
  'then',
  'one',
  'ones',
  'that',
]);

interface Slot extends Word {
  token: number;
  name: boolean;
  sure: boolean;
  place: Place;
  written: string;
  /** A colon follows. */
  colon: boolean;
}

/**
 * Reads a text into what it says. Linear in its length but for short phrases.
 *
 * @param code language of the text, ISO 639-1.
 * @param known folded words that are names in a text read beside this one, and their stems after an equals sign: at the start of a sentence they
 *   are names here too.
 */
export function readStatement(text: string, code: string, known: ReadonlySet<string> = new Set()): Statement {
  const tokens = readTokens(text);
  const { atoms } = readAtoms(tokens, code);
  const { starts, inside } = spansOf(atoms, tokens.length);
  const places = placeTokens(tokens, inside, code);
  const names = new Map<number, boolean>();
  for (const atom of atoms) {
    if (atom.kind !== 'name') continue;
    for (let at = atom.from; at < atom.to; at += 1) {
      if (tokens[at]!.kind === 'word') names.set(at, atom.sure || (names.get(at) ?? false));
    }
  }
  for (const [at, token] of tokens.entries()) {
    if (
      token.kind === 'word' &&
      isCapital(token.text) &&
      (known.has(token.folded) || (code !== 'en' && known.has(`=${foreignStem(token.folded, code)}`)))
    )
      names.set(at, true);
  }
  const units: Unit[] = [];
  const statement: Statement = {
    units,
    keys: new Set(),
    userAt: [],
    openings: new Map(),
    elided: new Set(),
    sentenceOf: new Map(),
    language: code,
    pointers: [],
    copulas: [],
    named: new Set(),
    pastClauses: new Set(),
    verbalClauses: new Set(),
    pronouns: [],
    reporters: new Set(),
    asides: new Map(),
    opaque: false,
    verbAt: Number.POSITIVE_INFINITY,
    spoken: spokenText(tokens),
  };
  const slots = slotsOf(tokens, places, starts, inside, names, code === 'en' ? splitWord : splitElision);
  for (const [from, list] of starts) {
    for (const atom of list) units.push(...atomUnits(atom, places[from]!, beforeOf(tokens, from)));
  }
  if (code === 'en') readEnglish(slots, statement);
  else readForeign(slots, statement, code);
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'run' || inside[index] || starts.has(index)) continue;
    // The sign of a date or an hour that goes on in one run with what follows: 日に.
    const signed = token.glued && index > 0 && (inside[index - 1] || starts.has(index - 1));
    const run = signed ? { ...token, text: token.text.replace(/^[年月日時时号號點点]/u, '') } : token;
    readRunUnits(run, index, places[index]!, statement, code);
  }
  // What the user says of himself is told word by word.
  units.push(
    ...quoteUnits(atoms, places, tokens.length).filter(
      ({ form }) => code === 'en' || !form.split(' ').some(isForeignUser),
    ),
  );
  units.sort((one, other) => one.word - other.word || one.axis - other.axis);
  const keys = statement.keys as Set<string>;
  for (const unit of units) for (const key of unit.keys) keys.add(key);
  return statement;
}

/**
 * The words of a text that are names beyond doubt, folded.
 *
 * @param code language of the text, ISO 639-1.
 */
export function namesIn(text: string, code: string): string[] {
  const tokens = readTokens(text);
  const names: string[] = [];
  for (const { kind, sure, from, to } of readAtoms(tokens, code).atoms) {
    if (kind !== 'name' || !sure) continue;
    for (let at = from; at < to; at += 1) if (tokens[at]!.kind === 'word') names.push(tokens[at]!.folded);
  }
  return names;
}

function isCapital(text: string): boolean {
  return /^[\p{Lu}\p{Lt}]/u.test(text);
}

/** The atoms that take their tokens for themselves, by first token, and the tokens that go on with one. */
function spansOf(atoms: readonly Atom[], size: number): { starts: Map<number, Atom[]>; inside: Uint8Array } {
  const starts = new Map<number, Atom[]>();
  const inside = new Uint8Array(size);
  for (const atom of atoms) {
    if (OWN_KINDS.has(atom.kind)) continue;
    if (!atom.sure && (atom.kind as string) !== 'number' && atom.to - atom.from < 1) continue;
    const same = starts.get(atom.from);
    if (same) same.push(atom);
    else if (!inside[atom.from]) starts.set(atom.from, [atom]);
    else continue;
    inside.fill(1, atom.from + 1, atom.to);
  }
  return { starts, inside };
}

/** The plain word before a token. */
function beforeOf(tokens: readonly Token[], at: number): string {
  let index = at - 1;
  while (
    index >= 0 &&
    (tokens[index]!.folded === 'the' || tokens[index]!.folded === 'a' || tokens[index]!.kind === 'mark')
  ) {
    if (tokens[index]!.kind === 'mark' && tokens[index]!.text !== '(') return '';
    index -= 1;
  }
  return tokens[index]?.kind === 'word' ? tokens[index]!.folded : '';
}

function slotsOf(
  tokens: readonly Token[],
  places: readonly Place[],
  starts: ReadonlyMap<number, Atom[]>,
  inside: Uint8Array,
  names: ReadonlyMap<number, boolean>,
  split: (word: string) => string[],
): Slot[] {
  const slots: Slot[] = [];
  let border = false;
  for (const [index, token] of tokens.entries()) {
    const place = places[index]!;
    const base = {
      token: index,
      place,
      opens: token.opens,
      border,
      name: false,
      sure: false,
      written: token.text,
      colon: tokens[index + 1]?.text === ':',
    };
    const atoms = starts.get(index);
    if (atoms) {
      const { kind } = atoms[0]!;
      slots.push({
        ...base,
        text: '',
        atom: kind === 'number' ? 'number' : kind === 'date' || kind === 'time' ? 'date' : 'other',
      });
      border = false;
    } else if (inside[index]) continue;
    else if (token.kind === 'word') {
      const sure = names.get(index);
      // A possessive of a name keeps nothing of its ending.
      const parts = sure !== true ? split(token.text.toLowerCase()) : [token.folded];
      for (const [n, text] of parts.entries()) {
        slots.push({
          ...base,
          text,
          atom: null,
          name: sure !== undefined && n === 0,
          sure: sure ?? false,
          border: border && n === 0,
        });
      }
      border = false;
    } else if (token.kind === 'mark') border = border || /[,;:.!?()–\n]/.test(token.text);
  }
  return slots;
}

function readEnglish(slots: readonly Slot[], statement: Statement): void {
  const texts = slots.map(({ text }) => text);
  const words: Word[] = slots.map((slot) => (slot.name && slot.sure ? { ...slot, text: '' } : slot));
  const meanings = readMeanings(words);
  const byStart = new Map<number, Meaning>(meanings.map((meaning) => [meaning.at, meaning]));
  const past = statement.pastClauses as Set<number>;
  const finite = statement.verbalClauses as Set<number>;
  const verbFirst = new Set<number>();
  for (const [index, slot] of slots.entries()) {
    if (slot.atom) continue;
    const { text, place } = slot;
    if (!statement.openings.has(place.clause)) {
      statement.openings.set(place.clause, slot.name && slot.sure ? '' : text);
      if (slot.opens && !slot.name && isElided(texts, index) && !isHeader(slots, index))
        statement.elided.add(place.clause);
      statement.sentenceOf.set(place.clause, place.sentence);
      if (!slot.name && opensWithVerb(texts, index)) verbFirst.add(place.clause);
    }
    if (USER_WORDS.has(text)) {
      if (!['my', 'our', 'me', 'us'].includes(text) && texts[index + 1] !== 's')
        statement.units.push(userUnit(place, slot.token));
      const possessive =
        text === 'my' || text === 'our' || texts[index + 1] === 's' || /'s?$/.test(slot.written);
      statement.userAt.push({
        clause: place.clause,
        word: slot.token,
        possessive,
        before: texts[index - 1] === 'the' ? (texts[index - 2] ?? '') : (texts[index - 1] ?? ''),
      });
    }
    if (PAST_WORDS.has(text)) past.add(place.clause);
    if (FINITE.has(text) && !(text === 's' && !BEFORE_IS.has(texts[index - 1] ?? '')))
      finite.add(place.clause);
    if (THIRD.has(text)) statement.pronouns.push({ axis: place.axis, clause: place.clause });
    if (isPointer(text)) statement.pointers.push(text);
    const meaning = byStart.get(index);
    if (isReporting(texts[index + 1] ?? '') && !slots[index + 1]!.border)
      (statement.reporters as Set<number>).add(slot.token);
    if (slot.name && slot.sure) statement.units.push(nameUnit(slot, texts, index, slots));
    else if (meaning) statement.units.push(wordUnit(slot, meaning, texts, index, slots));
    else if (slot.name && !GLUE.has(text)) statement.units.push(nameUnit(slot, texts, index, slots));
  }
  for (const unit of statement.units) {
    if (unit.tense === 'past') past.add(unit.clause);
    if (unit.verbal) finite.add(unit.clause);
  }
  const verb = slots.findIndex(
    ({ text, token }, index) =>
      index > 0 &&
      !NOUN_NEXT.has(slots[index - 1]!.text) &&
      ((FINITE.has(text) && text.length > 1) ||
        statement.units.some((unit) => unit.word === token && unit.verbal)),
  );
  if (verb !== -1) statement.verbAt = slots[verb]!.token;
  readCopulas(slots, texts, byStart, statement);
  joinResumed(statement, verbFirst);
}

/** Whether a word that opens a clause is a verb with a subject before it: "..., beat them", "..., is allergic". */
function opensWithVerb(texts: readonly string[], index: number): boolean {
  const text = texts[index]!;
  if (FINITE.has(text) || VERB_FORMS.get(text)?.tense === 'past' || UNCHANGING.has(text)) return true;
  return tenseOf(texts, index) !== null || (VERB_LEMMAS.has(lemmaOf(text)) && /[^s]s$/.test(text));
}

/** Whether a word is one for kin itself: "therapist" is, "therapy" and "childhood" are not. */
function isKin(meaning: Meaning, text: string): boolean {
  if (!KIN_LEMMAS.has(meaning.lemma)) return false;
  return meaning.length > 1 || KIN_BASES.has(inflectionOf(text)) || directClassOf(text) === meaning.lemma;
}

/** Whether a word for kin means somebody: "my sister", "the dog", "Dad prefers", and not "wants children". */
function isSpecific(slots: readonly Slot[], index: number): boolean {
  const before = slots[index - 1];
  if (UNIQUE.has(lemmaOf(slots[index]!.text))) return true;
  if (!before || slots[index]!.opens || slots[index]!.border) return true;
  const next = slots[index + 1];
  if (DEFINITE.has(before.text) || next?.name || TITLED.has(next?.text ?? '')) return true;
  // "his older brother", "user's best friend"
  return (
    DEFINITE.has(slots[index - 2]?.text ?? '') ||
    (before.text === 'and' && !/s$/.test(slots[index]!.text)) ||
    before.text === 'grandpa' ||
    before.name
  );
}

/** Whether a word in -s or -ed stands right after a name or a pronoun. */
function followsSubject(slots: readonly Slot[], index: number): boolean {
  const before = slots[index - 1];
  if (!before || slots[index]!.border || !/[a-z](?:s|ed)$/.test(slots[index]!.text)) return false;
  return (
    (before.name && !/'s?$/.test(before.written)) ||
    ['he', 'she', 'it', 'who', 'which', 'that', 'user', 'i', 'they'].includes(before.text)
  );
}

/** The user as the subject of a statement: it need not be told, but it stands with what is told of it. */
function userUnit(place: Place, word: number): Unit {
  return {
    kind: 'word',
    keys: ['user'],
    form: 'user',
    soft: true,
    frame: true,
    ...place,
    word,
    before: '',
    tense: null,
    verbal: false,
    person: null,
  };
}

function wordUnit(
  slot: Slot,
  meaning: Meaning,
  texts: readonly string[],
  index: number,
  slots: readonly Slot[],
): Unit {
  const form = texts.slice(index, index + meaning.length).join(' ');
  const key = meaning.operator ? `op:${meaning.lemma}` : meaning.lemma;
  const keys = [key];
  if (!meaning.operator && meaning.length === 1) keys.push(`=${slot.text}`);
  if (!meaning.operator && (meaning.lemma === 'lessthan' || meaning.lemma === 'morethan'))
    keys.push(`op:${meaning.lemma}`);
  return {
    kind: meaning.operator ? 'operator' : 'word',
    keys,
    form,
    soft: meaning.soft,
    frame: meaning.frame,
    ...slot.place,
    word: slot.token,
    before: glueBefore(texts, index, slots),
    tense: tenseOf(texts, index),
    verbal:
      !meaning.operator &&
      (VERB_LEMMAS.has(meaning.lemma) || tenseOf(texts, index) !== null || followsSubject(slots, index)),
    person:
      !meaning.operator && isKin(meaning, texts[index]!) && isSpecific(slots, index) ? meaning.lemma : null,
  };
}

/** Titles and parts of addresses, written out or not. */
const TITLES = new Map(
  ['dr doctor', 'prof professor', 'st street', 'ave avenue', 'rd road', 'mt mount', 'mon monday'].flatMap(
    (line) => {
      const words = line.split(' ');
      return words.map((word): [string, string] => [word, `title:${words[0]}`]);
    },
  ),
);
/** Names of things that have a short form. */
const ABBREVIATED = new Set(
  'db database k8s kubernetes postgres postgresql js javascript ts typescript tv app docs auth dev info'.split(
    ' ',
  ),
);

/** Verbs and glue that follow a subject. */
const AFTER_SUBJECT = new Set([
  'is',
  'was',
  'has',
  'had',
  'are',
  'were',
  'does',
  'did',
  'can',
  'will',
  'also',
  'never',
  'always',
  's',
  'and',
  'needs',
  'would',
  'may',
  'might',
  'could',
  'should',
  'must',
  'usually',
  'often',
  'sometimes',
  'gets',
  'got',
  'goes',
  'went',
  'takes',
  'took',
  'makes',
  'made',
  'uses',
  'used',
  'said',
  'says',
]);

/** Whether a name stands where a subject does: at the head of a clause and before a verb, after a word for kin, or with a possessive. */
function isSubject(slots: readonly Slot[], index: number): boolean {
  const slot = slots[index]!;
  if (/'s$/.test(slot.written)) return true;
  let first = index;
  while (first > 0 && slots[first - 1]!.name && !slots[first]!.border) first -= 1;
  let last = index;
  while (slots[last + 1]?.name && !slots[last + 1]!.border) last += 1;
  const before = slots[first - 1]?.text ?? '';
  if (slots[last + 1]?.text === 'who') return true;
  if (
    ((KIN_BASES.has(inflectionOf(before)) || KIN_LEMMAS.has(directClassOf(before) ?? '')) &&
      !slots[first]!.border) ||
    ['named', 'called'].includes(before)
  )
    return true;
  const next = slots[last + 1]?.text ?? '';
  if (slots[last]!.colon && (slots[first]!.opens || first === 0)) return true;
  const opens =
    slots[first]!.opens ||
    slots[first]!.border ||
    ['and', 'but', 'while', 'because', 'that', 'when', 'since', 'before', 'after', 'if'].includes(before);
  return (
    opens && (AFTER_SUBJECT.has(next) || (/[a-z](?:s|ed)$/.test(next) && next !== '') || VERB_FORMS.has(next))
  );
}

function nameUnit(slot: Slot, texts: readonly string[], index: number, slots: readonly Slot[]): Unit {
  const keys = [`=${slot.text}`];
  // A capital at the start of a sentence may be on any word.
  if (!slot.sure || ABBREVIATED.has(slot.text)) keys.push(lemmaOf(slot.text));
  const title = TITLES.get(slot.text);
  if (title !== undefined) keys.push(title);
  return {
    kind: 'name',
    keys,
    form: slot.text,
    soft: false,
    frame: false,
    ...slot.place,
    word: slot.token,
    before: glueBefore(texts, index, slots),
    tense: null,
    verbal: false,
    person: slot.sure && isSubject(slots, index) ? `=${slot.text}` : null,
  };
}

function glueBefore(texts: readonly string[], index: number, slots: readonly Slot[]): string {
  let at = index - 1;
  while (at >= 0 && ['the', 'a', 'an', 'my', 'his', 'her', 'their', 's', 'user', 'of'].includes(texts[at]!))
    at -= 1;
  if (at >= 0 && slots[at]!.atom === 'number' && slots[at]!.written.toLowerCase() === 'one') return 'one';
  return texts[at] ?? '';
}

/** Whether a sentence begins with its verb: "Lives in Dublin". */
function isElided(texts: readonly string[], index: number): boolean {
  const [word, next] = [texts[index]!, texts[index + 1] ?? ''];
  if (FINITE.has(word))
    return word.length > 2 && !['are', 'was', 'were', 'can', 'will', 'did'].includes(word);
  if (!VERB_LEMMAS.has(lemmaOf(word)) && !VERB_FORMS.has(word)) return false;
  return !FINITE.has(next) && !['for', 'of', 'in', 'is', 'at'].includes(next);
}

/** Whether a sentence begins with a heading: "Swimming course:", "Book club in May:". */
function isHeader(slots: readonly Slot[], index: number): boolean {
  for (let at = index; at < slots.length && at < index + 6; at += 1) {
    if (at > index && slots[at]!.border) return false;
    if (slots[at]!.colon) return true;
  }
  return false;
}

/** "was a teacher", "is allergic": what somebody is said to be, and when. */
function readCopulas(
  slots: readonly Slot[],
  texts: readonly string[],
  byStart: ReadonlyMap<number, Meaning>,
  statement: Statement,
): void {
  for (const [index, text] of texts.entries()) {
    const owns = ['has', 'have', 'had'].includes(text);
    const tense =
      text === 'was' || text === 'were' || text === 'had'
        ? 'past'
        : owns || PRESENT_WORDS.has(text)
          ? 'present'
          : null;
    if (!tense || (text === 's' && !BEFORE_IS.has(texts[index - 1] ?? ''))) continue;
    const article = ['a', 'an', 'the', 'my', 'his', 'her'].includes(texts[index + 1] ?? '');
    let at = index + 1;
    while (at < texts.length && at < index + 4 && COPULA_FILLERS.has(texts[at]!)) at += 1;
    const meaning = byStart.get(at);
    if (!meaning || meaning.operator || slots[at]!.border) continue;
    const said = texts[at]!;
    const participle = /(?:ed|en|ing)$/.test(said) || VERB_FORMS.has(said) || UNCHANGING.has(said);
    if (article || (!participle && !owns)) statement.copulas.push({ key: meaning.lemma, tense, owned: owns });
  }
}

function readRunUnits(token: Token, index: number, place: Place, statement: Statement, code: string): void {
  let offset = 0;
  for (const { key, negates } of readRun(token.text, code)) {
    offset += 1;
    const unit = {
      form: key,
      soft: false,
      frame: false,
      ...place,
      axis: place.axis + offset * 0.001,
      word: index,
      before: '',
      tense: null,
      verbal: false,
      person: null,
    } as const;
    if (negates) statement.units.push({ ...unit, kind: 'operator', keys: ['op:not'] });
    if (key !== '') statement.units.push({ ...unit, kind: 'gram', keys: [key] });
  }
}

export function isAtomKind(kind: Unit['kind']): kind is AtomKind {
  return kind !== 'word' && kind !== 'operator' && kind !== 'gram';
}

/** A name that is a subject in one text of a cluster is one in all of them. */
export function shareSubjects(statements: readonly Statement[]): void {
  const subjects = new Set<string>();
  for (const { units } of statements) {
    for (const unit of units) if (unit.kind === 'name' && unit.person !== null) subjects.add(unit.person);
  }
  for (const { units } of statements) {
    for (const unit of units)
      if (unit.kind === 'name' && subjects.has(unit.keys[0]!)) unit.person = unit.keys[0]!;
  }
}
