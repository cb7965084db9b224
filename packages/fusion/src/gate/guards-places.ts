import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** Prepositions that tell what a thing is to the rest: they stand with it when it moves. */
const PREPOSITIONS = new Set([
  'in',
  'at',
  'on',
  'with',
  'from',
  'to',
  'for',
  'by',
  'of',
  'into',
  'under',
  'near',
  'called',
  'named',
  'as',
  'against',
  'about',
]);
/** Two things of one clause with no border between stand nearer than this for each word. */
const BESIDE = 0.5;
/** A word with more partners than this tells nothing. */
const MAX_PARTNERS = 12;

/** What stands around a thing: the things right before and right behind it in its clause, and the preposition in front of it. */
interface Place {
  unit: Unit;
  left: Unit | null;
  right: Unit | null;
  preposition: string;
}

interface Known {
  left: Set<string>;
  right: Set<string>;
  prepositions: Set<string>;
}

/**
 * Two things of which each stands where the sources have the other, and nowhere near its own neighbours: "Tom lives in Leeds with his wife
 * Priya" told as "Tom lives in Priya with his wife Leeds", "grandpa Otto ... Sonnenhof home" as "grandpa Sonnenhof ... Otto home".
 */
export function exchangedPlaces(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Map<string, Known>();
  const lists = new Set<string>();
  for (const source of sources) {
    for (const place of placesIn(source))
      for (const key of keysOf(place.unit)) note(knownOf(known, key), place);
    for (const pair of listPairs(source)) lists.add(pair);
  }
  // A verb goes where the grammar of the summary puts it.
  const strangers = placesIn(summary).filter((place) => !place.unit.verbal && !isNative(place, known));
  const byKey = new Map<string, Place[]>();
  for (const place of strangers)
    for (const key of keysOf(place.unit)) byKey.set(key, [...(byKey.get(key) ?? []), place]);
  const problems: Difference[] = [];
  for (const one of strangers) {
    const others = new Set(candidates(one, known).flatMap((key) => byKey.get(key) ?? []));
    for (const other of others) {
      if (other === one || other.unit.word < one.unit.word || sharesKeys(one.unit, other.unit)) continue;
      if (isListed(one, other, lists)) continue;
      const mine = worn(one, other, known);
      const theirs = worn(other, one, known);
      const enough = one.unit.kind === other.unit.kind ? 2 : 3;
      if (mine > 0 && theirs > 0 && mine + theirs >= enough)
        problems.push({ kind: 'pairing', value: `${one.unit.form} ${other.unit.form}` });
    }
  }
  return problems;
}

/** A count of years may be told with its unit or without. */
function keysOf({ kind, keys }: Unit): readonly string[] {
  return kind === 'number' ? keys.map((key) => key.replace(/ year(?: old)?$/, '')) : keys;
}

function sharesKeys(one: Unit, other: Unit): boolean {
  const keys = keysOf(one);
  return keysOf(other).some((key) => keys.includes(key));
}

function knownOf(known: Map<string, Known>, key: string): Known {
  const found = known.get(key) ?? { left: new Set(), right: new Set(), prepositions: new Set() };
  known.set(key, found);
  return found;
}

function note({ left, right, prepositions }: Known, place: Place): void {
  for (const key of place.left ? keysOf(place.left) : []) left.add(key);
  for (const key of place.right ? keysOf(place.right) : []) right.add(key);
  if (place.preposition !== '') prepositions.add(place.preposition);
}

/** Whether a thing stands beside one of its own neighbours, on either side, or behind its own preposition. */
function isNative({ unit, left, right, preposition }: Place, known: ReadonlyMap<string, Known>): boolean {
  return keysOf(unit).some((key) => {
    const own = known.get(key);
    if (!own) return false;
    if (preposition !== '' && own.prepositions.has(preposition)) return true;
    return [left, right].some(
      (beside) => beside !== null && keysOf(beside).some((near) => own.left.has(near) || own.right.has(near)),
    );
  });
}

/** Things that the sources have where this one stands. */
function candidates({ left, right }: Place, known: ReadonlyMap<string, Known>): string[] {
  const found: string[] = [];
  const add = (keys: ReadonlySet<string>): void => {
    if (keys.size <= MAX_PARTNERS) found.push(...keys);
  };
  for (const key of left ? keysOf(left) : []) add(known.get(key)?.right ?? new Set());
  for (const key of right ? keysOf(right) : []) add(known.get(key)?.left ?? new Set());
  return found;
}

/** How much of the surroundings of one thing is the other's in the sources. What is each other's tells nothing. */
function worn(one: Place, other: Place, known: ReadonlyMap<string, Known>): number {
  let count = 0;
  const has = (beside: Unit | null, side: 'left' | 'right'): boolean =>
    beside !== null &&
    beside !== other.unit &&
    keysOf(other.unit).some((key) =>
      keysOf(beside).some((near) => known.get(key)?.[side].has(near) === true),
    );
  if (has(one.left, 'left')) count += 1;
  if (has(one.right, 'right')) count += 1;
  const own = keysOf(other.unit).some((key) => known.get(key)?.prepositions.has(one.preposition) === true);
  if (one.preposition !== '' && own) count += 1;
  return count;
}

/** Two things of one list may be told in any order. */
function isListed(one: Place, other: Place, lists: ReadonlySet<string>): boolean {
  return one.unit.keys.some((key) => other.unit.keys.some((more) => lists.has(`${key} ${more}`)));
}

/** Neighbours over a comma or an "and". */
function listPairs({ units }: Statement): string[] {
  const pairs: string[] = [];
  for (const [at, other] of units.entries()) {
    const one = units[at - 1];
    if (!one || one.sentence !== other.sentence || one.clause === other.clause || one.kind !== other.kind)
      continue;
    for (const key of one.keys) for (const more of other.keys) pairs.push(`${key} ${more}`, `${more} ${key}`);
  }
  return pairs;
}

function placesIn({ units }: Statement): Place[] {
  const said = units.filter(
    ({ kind, soft, frame, keys }) =>
      kind !== 'operator' && kind !== 'quote' && keys[0] !== 'user' && !(soft && frame),
  );
  return said.map((unit, at) => {
    const [left, right] = [said[at - 1], said[at + 1]];
    const near = (beside: Unit | undefined): Unit | null =>
      beside && beside.clause === unit.clause && Math.abs(beside.axis - unit.axis) < BESIDE ? beside : null;
    return {
      unit,
      left: near(left),
      right: near(right),
      preposition: PREPOSITIONS.has(unit.before) ? unit.before : '',
    };
  });
}
