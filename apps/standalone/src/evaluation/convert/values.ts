import { parseIsoDate } from '@slowwave/db';

/** A sample cannot be used as a whole: its history is not what the format says. */
export class SampleError extends Error {
  readonly field: string;

  /** @param message what is wrong and what was expected; never a text of the sample */
  constructor(field: string, message: string) {
    super(message);
    this.name = 'SampleError';
    this.field = field;
  }
}

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own fields alone: a field called "constructor" is none of every object. */
export const fieldOf = (object: JsonObject, field: string): unknown =>
  Object.hasOwn(object, field) ? object[field] : undefined;

/** A text without what no text column holds; a number is written out, null and absent are empty. Null: it is anything else. */
export function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  return value
    .replaceAll('\u0000', ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .trim();
}

/** A text, or a list of texts, as texts that are not empty; what is neither is passed over. */
export function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value.flat(8) : [value];
  return [...new Set(values.map((each) => textOf(each) ?? '').filter((text) => text !== ''))];
}

export function requireText(object: JsonObject, field: string, place: string): string {
  const text = textOf(fieldOf(object, field));
  if (text === null) throw new SampleError(`${place}${field}`, 'expected a text');
  return text;
}

export function requireList(object: JsonObject, field: string): unknown[] {
  const value = fieldOf(object, field);
  if (Array.isArray(value)) return value;
  throw new SampleError(field, value === undefined ? 'is missing; expected a list' : 'expected a list');
}

/** An id or a name of 1 to 200 characters on one line. */
export function requireName(value: unknown, field: string): string {
  const name = textOf(value);
  if (name === null || name === '' || name.length > 200 || /[\p{Cc}\u2028\u2029]|^\.{1,2}$/u.test(name)) {
    throw new SampleError(
      field,
      'expected a name of 1 to 200 characters on one line, other than "." and ".."',
    );
  }
  return name;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** "1:56 pm on 8 May, 2023" */
const SPOKEN = /^(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+(\p{L}{3,9})\.?,?\s+(\d{4})$/iu;
/** "2023/05/20 (Sat) 02:21" */
const WRITTEN = /^(\d{4})\/(\d{1,2})\/(\d{1,2})(?:\s*\([^)]*\))?(?:\s+(\d{1,2}):(\d{2}))?$/;
/** Turns are dated after their session, and the clock of an evaluation runs on after the newest. */
const [FIRST_YEAR, LAST_YEAR] = [1900, 2999];

const two = (text: string | number): string => String(text).padStart(2, '0');

function isoOf(text: string): string {
  const spoken = SPOKEN.exec(text);
  if (spoken) {
    const [, hour, minute, half, day, month, year] = spoken;
    const place = MONTHS.indexOf(month!.slice(0, 3).toLowerCase());
    const hours = (Number(hour) % 12) + (half!.toLowerCase() === 'p' ? 12 : 0);
    if (Number(hour) > 12 || place < 0) return '';
    return `${year}-${two(place + 1)}-${two(day!)}T${two(hours)}:${minute}:00Z`;
  }
  const written = WRITTEN.exec(text);
  if (!written) return text;
  const [, year, month, day, hour = '0', minute = '00'] = written;
  return `${year}-${two(month!)}-${two(day!)}T${two(hour)}:${minute}:00Z`;
}

/** The date and time of a session in either format, or in ISO 8601, as epoch ms of UTC. */
export function requireDate(value: unknown, field: string): number {
  const found = parseIsoDate(isoOf(textOf(value) ?? ''));
  const year = found.ok ? new Date(found.ms).getUTCFullYear() : 0;
  if (found.ok && year >= FIRST_YEAR && year <= LAST_YEAR) return found.ms;
  throw new SampleError(
    field,
    'expected a date and time, as in "1:56 pm on 8 May, 2023" or "2023/05/20 (Sat) 02:21"',
  );
}
