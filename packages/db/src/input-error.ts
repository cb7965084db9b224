import { charsOf, checkName, checkText } from './import/fields.ts';
import { grouped } from './import/limits.ts';
import type { Report } from './import/problems.ts';

export type InputErrorCode =
  | 'empty'
  | 'too_long'
  | 'invalid_text'
  | 'too_many'
  | 'out_of_range'
  | 'not_allowed'
  | 'invalid_time';

/**
 * What a caller gave cannot be stored. Names the field and what was expected of it, never what stood in it: values are people's words.
 * Never retryable: the input has to change.
 */
export class InputError extends Error {
  readonly code: InputErrorCode;
  readonly field: string;
  readonly retryable = false;

  constructor(code: InputErrorCode, field: string, message: string) {
    super(message);
    this.name = 'InputError';
    this.code = code;
    this.field = field;
  }
}

const WORDS_OF_TEXT: Partial<Record<string, InputErrorCode>> = { empty: 'empty', too_long: 'too_long' };

/** Turns the first problem that the import's own checks find into an error. */
const refuse: Report = (code, field, message) => {
  throw new InputError(WORDS_OF_TEXT[code] ?? 'invalid_text', field ?? 'input', message);
};

/** An id or a name: 1 to 200 characters without control characters. Null passes. */
export function requireName(value: string | null | undefined, field: string): void {
  if (value !== null && value !== undefined) checkName(value, field, refuse);
}

/** A text of 1 to `max` characters (code points) that a text column can hold. Null passes. */
export function requireText(value: string | null | undefined, field: string, max: number): void {
  if (value === null || value === undefined) return;
  if (value === '') throw new InputError('empty', field, `${field} is empty`);
  // A character is one or two units: the units alone decide where they can.
  if (value.length > max && (value.length > 2 * max || charsOf(value) > max)) {
    throw new InputError('too_long', field, `${field} is longer than ${grouped(max)} characters`);
  }
  checkText(value, field, refuse);
}

/** A number within bounds, both included. */
export function requireNumber(
  value: number,
  field: string,
  bounds: { min: number; max: number; whole?: boolean },
): void {
  const { min, max, whole = false } = bounds;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return;
  const kind = whole ? 'a whole number' : 'a number';
  throw new InputError(
    'out_of_range',
    field,
    `${field} must be ${kind} from ${grouped(min)} to ${grouped(max)}`,
  );
}

/** At most `max` things in one call. */
export function requireCount(values: readonly unknown[], field: string, max: number): void {
  if (values.length <= max) return;
  throw new InputError('too_many', field, `at most ${grouped(max)} ${field} in one call`);
}

/** A word of a closed list. */
export function requireWord<Word extends string>(value: Word, field: string, allowed: readonly Word[]): void {
  if (allowed.includes(value)) return;
  throw new InputError('not_allowed', field, `${field} must be one of ${allowed.join(', ')}`);
}

/** The years that every part of the system can hold: 1 to 9999. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant in epoch ms, in the years 1 to 9999. Null passes. */
export function requireTime(value: number | null | undefined, field: string): void {
  if (value === null || value === undefined || (value >= FIRST_MS && value <= LAST_MS)) return;
  throw new InputError('invalid_time', field, `${field} must be an instant in epoch milliseconds`);
}
