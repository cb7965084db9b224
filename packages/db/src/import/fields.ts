import { FIRST_INSTANT, LAST_INSTANT, parseIsoDate } from './dates.ts';
import { grouped, NAME_CHARS } from './limits.ts';
import { nearestWord } from './nearest.ts';
import type { Report } from './problems.ts';

/** A line's object and where its problems go. Every reader answers null when the field is absent (or null) or wrong. */
export interface FieldSource {
  object: Record<string, unknown>;
  report: Report;
  /** Stands before field names in messages, for objects within the line ("relations[2]."). */
  prefix?: string;
}

const nameOf = (source: FieldSource, field: string): string => `${source.prefix ?? ''}${field}`;

/** The field's value; null and an absent field are the same, since many writers spell out their nulls. */
export function fieldOf(source: FieldSource, field: string): unknown {
  return Object.hasOwn(source.object, field) ? (source.object[field] ?? null) : null;
}

export const charsOf = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** What no text column can hold. Answers whether the text is free of it. */
export function checkText(text: string, name: string, report: Report): boolean {
  if (text.includes('\u0000')) {
    report('nul', name, `${name} holds a NUL character (U+0000), which cannot be stored`);
    return false;
  }
  if (/\p{Surrogate}/u.test(text)) {
    report('lone_surrogate', name, `${name} holds half of a surrogate pair, which is not valid Unicode`);
    return false;
  }
  return true;
}

/** Answers whether the text is a usable id or name: 1 to 200 characters, none of them a control character. */
export function checkName(text: string, name: string, report: Report): boolean {
  if (text.trim() === '') {
    report('empty', name, `${name} is empty; expected 1 to ${NAME_CHARS} characters`);
    return false;
  }
  // A character is one or two units: the units alone decide where they can.
  const chars = text.length <= NAME_CHARS ? text.length : charsOf(text);
  if (chars > NAME_CHARS) {
    const message = `${name} has ${grouped(chars)} characters; expected 1 to ${NAME_CHARS}`;
    report('too_long', name, message);
    return false;
  }
  if (!checkText(text, name, report)) return false;
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) {
    report('control_character', name, `${name} holds a control character or a line break`);
    return false;
  }
  return true;
}

/**
 * As checkName, for a name that is given anew: no part of an address can be "." or "..", since programs fold these away, so that what has
 * such a name could not be read, changed or forgotten by most.
 */
export function checkNewName(text: string, name: string, report: Report): boolean {
  if (!checkName(text, name, report)) return false;
  if (text !== '.' && text !== '..') return true;
  report('not_allowed', name, `${name} must not be "." or "..", which no address can hold`);
  return false;
}

function readString(source: FieldSource, field: string): string | null {
  const value = fieldOf(source, field);
  if (value === null || typeof value === 'string') return value;
  const name = nameOf(source, field);
  source.report('wrong_type', name, `${name} must be a string`);
  return null;
}

export function readName(source: FieldSource, field: string): string | null {
  const text = readString(source, field);
  return text !== null && checkNewName(text, nameOf(source, field), source.report) ? text : null;
}

/** A word of a closed list. */
export function readWord<Word extends string>(
  source: FieldSource,
  field: string,
  allowed: readonly Word[],
): Word | null {
  const text = readString(source, field);
  if (text === null) return null;
  const found = allowed.find((word) => word === text);
  if (found !== undefined) return found;
  const name = nameOf(source, field);
  const near = nearestWord(text, allowed);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  source.report('not_allowed', name, `${name} must be one of ${allowed.join(', ')}${hint}`);
  return null;
}

/** A number within bounds, both included. */
export function readNumber(
  source: FieldSource,
  field: string,
  bounds: { min: number; max: number; whole?: boolean },
): number | null {
  const value = fieldOf(source, field);
  if (value === null) return null;
  const name = nameOf(source, field);
  const expected = `${bounds.whole ? 'a whole number' : 'a number'} from ${bounds.min} to ${bounds.max}`;
  if (typeof value !== 'number') {
    source.report('wrong_type', name, `${name} must be ${expected}`);
    return null;
  }
  // Written so that anything but a number within the bounds is refused.
  const within = value >= bounds.min && value <= bounds.max && (!bounds.whole || Number.isInteger(value));
  if (!within) {
    source.report('out_of_range', name, `${name} must be ${expected}`);
    return null;
  }
  // JSON knows -0, a column does not.
  return value === 0 ? 0 : value;
}

/** An ISO 8601 date or date-time as epoch milliseconds. */
export function readInstant(source: FieldSource, field: string): number | null {
  const text = readString(source, field);
  if (text === null) return null;
  const date = parseIsoDate(text);
  if (date.ok) return date.ms;
  const name = nameOf(source, field);
  const message =
    date.why === 'impossible'
      ? `${name} is a date or time that does not exist`
      : `${name} must be an ISO 8601 date or date-time, as in 2026-04-12 or 2026-04-12T18:30:00Z`;
  source.report('invalid_date', name, message);
  return null;
}

/** Epoch milliseconds, of the same years as an ISO 8601 date. */
export function readEpoch(source: FieldSource, field: string): number | null {
  const value = fieldOf(source, field);
  if (value === null) return null;
  const whole = typeof value === 'number' && Number.isInteger(value);
  if (whole && value >= FIRST_INSTANT && value <= LAST_INSTANT) return value === 0 ? 0 : value;
  const name = nameOf(source, field);
  const message = `${name} must be an instant in epoch milliseconds, a whole number in the years 1 to 9999`;
  source.report('invalid_date', name, message);
  return null;
}
