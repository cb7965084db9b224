import { readAtoms } from '../reading/atoms.ts';
import { spokenText } from '../reading/spoken.ts';
import { readTokens, type Token } from '../reading/tokens.ts';
import { atomUnits, quoteUnits } from './atom-units.ts';
import { type Place, placeTokens } from './borders.ts';
import { splitWord } from './english.ts';
import { readEnglish } from './english-statement.ts';
import { isForeignUser, splitElision } from './foreign.ts';
import { readForeign } from './foreign-reading.ts';
import { foreignStem } from './foreign-stems.ts';
import type { Statement, Unit } from './unit.ts';
import { readRun } from './unspaced.ts';
import { slotsOf, spansOf } from './word-slots.ts';

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
    marks: { agents: new Set(), receivers: new Set() },
    pastClauses: new Set(),
    verbalClauses: new Set(),
    pronouns: [],
    reporters: new Set(),
    asides: new Map(),
    opaque: false,
    verbAt: Number.POSITIVE_INFINITY,
    spoken: spokenText(tokens),
    said: tokens.map(({ folded }) => folded),
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
    if (signed && code === 'ja') tellWay(token.text, index, units);
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

/** "6月まで": a particle right behind a day or an hour. */
function tellWay(text: string, index: number, units: readonly Unit[]): void {
  const way = /^[年月日時]?(?:から|より)/u.test(text) ? 'from' : /^[年月日時]?まで/u.test(text) ? 'to' : null;
  const last = units.findLast(({ word, kind }) => word < index && (kind === 'date' || kind === 'time'));
  if (way !== null && last) last.before = way;
}

function readRunUnits(token: Token, index: number, place: Place, statement: Statement, code: string): void {
  let offset = 0;
  for (const { key, negates, way } of readRun(token.text, code)) {
    offset += 1;
    const unit = {
      form: key,
      soft: false,
      frame: false,
      ...place,
      axis: place.axis + offset * 0.001,
      word: index,
      before: way,
      tense: null,
      verbal: false,
      person: null,
    } as const;
    if (negates) statement.units.push({ ...unit, kind: 'operator', keys: ['op:not'] });
    if (key !== '') statement.units.push({ ...unit, kind: 'gram', keys: [key] });
  }
}
