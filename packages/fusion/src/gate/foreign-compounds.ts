import type { Statement, Unit } from './unit.ts';

/** Languages that write compounds as one word. */
const JOINING = new Set(['de', 'nl', 'sv']);
/** Letters that may stand between two parts. */
const LINKS = ['', 's', 'es', 'n', 'en', 'e', 'er'];
const MIN_PART = 3;
const MIN_HEAD = 4;

/**
 * Whether a word is kept by a compound of another text, or a compound by its parts: "Schule ... Ranzen" and "Schulranzen", "Sortieren der
 * Noten" and "Notensortieren". Both parts must stand in one sentence.
 */
export function isKeptInCompound(unit: Unit, own: Statement, other: Statement): boolean {
  if (!JOINING.has(own.language) || unit.kind === 'number') return false;
  const word = unit.form;
  // A part of a compound of the other text, whose other part stands beside it here.
  for (const compound of other.units) {
    if (compound.form.length < word.length + MIN_PART || compound.form.length < MIN_PART * 2) continue;
    const rest = otherPart(compound.form, unit);
    if (rest === null) continue;
    if (own.units.some((one) => one !== unit && one.sentence === unit.sentence && isPart(rest, one)))
      return true;
  }
  if (word.length < MIN_PART + MIN_HEAD) return false;
  // A compound whose two parts stand in one sentence of the other text.
  for (const head of other.units) {
    const rest = otherPart(word, head);
    if (rest === null) continue;
    if (other.units.some((one) => one !== head && one.sentence === head.sentence && isPart(rest, one)))
      return true;
  }
  return false;
}

/** A compound of a source, told by its head alone after it was named: "der Kirchenchor ..., der Chor". */
export function isHeadOfCompound(unit: Unit, summary: Statement, source: Statement): boolean {
  if (!JOINING.has(summary.language) || unit.form.length < MIN_HEAD) return false;
  return summary.units.some(
    (compound) =>
      compound.word < unit.word &&
      compound.form.length >= unit.form.length + MIN_PART &&
      compound.form.endsWith(unit.form) &&
      compound.keys.some((key) => source.keys.has(key)),
  );
}

/** What is left of a compound that begins or ends with a word; null where it does neither. */
function otherPart(compound: string, { form, keys, kind }: Unit): string | null {
  if ((kind !== 'word' && kind !== 'name') || form.length < MIN_PART) return null;
  for (const part of [form, keys[0]!.replace(/^=/, '')]) {
    if (part.length < MIN_PART || compound.length < part.length + MIN_PART) continue;
    if (compound.endsWith(part)) return compound.slice(0, -part.length);
    if (compound.startsWith(part)) return compound.slice(part.length);
  }
  return null;
}

/** Whether what is left is that word, with the letters that link parts. */
function isPart(rest: string, { form, keys, kind }: Unit): boolean {
  if (kind !== 'word' && kind !== 'name') return false;
  return [form, keys[0]!.replace(/^=/, '')].some(
    (part) =>
      part.length >= MIN_PART &&
      LINKS.some((link) => rest === part + link || link + part === rest || rest === part.slice(0, -1) + link),
  );
}
