import type { RefusedPart } from '@slowwave/fusion';
import { isRecord } from './request.ts';

/** What an error body says, as far as it may leave this package: nothing that an endpoint wrote passes. */
export interface ErrorBody {
  /** `error.code` or `error.type`, for comparison with lists only. */
  errorCode: string | null;
  /** A status that stands in the body. */
  status: number | null;
  about: RefusedPart | null;
}

/** Characters of a message that are read: endpoints put the request, which may say anything, behind their own words. */
const READ_CHARS = 400;

const TOO_LONG =
  /\b(?:input|prompt|text|sequence|request|context)\b[^.]{0,80}\b(?:too (?:long|large)|exceeds?|longer than)\b|context (?:length|size|window)|less than \d+ tokens/i;

/** In the order in which they are looked for. */
const PARTS: readonly [RefusedPart, RegExp][] = [
  ['length', TOO_LONG],
  ['max_tokens', /\bmax_(?:completion_)?tokens\b/i],
  ['schema', /\b(?:response_?format|json_?schema|json_object|structured outputs?|response format)\b/i],
  ['temperature', /\btemperature\b/i],
];

const partIn = (text: string): RefusedPart | null => PARTS.find(([, words]) => words.test(text))?.[0] ?? null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, READ_CHARS) : '');

/** The names and messages of a validation error, as web frameworks list them. */
function detailsOf(detail: unknown): string {
  if (!Array.isArray(detail)) return textOf(detail);
  const texts = detail.slice(0, 10).filter(isRecord);
  return texts.map(({ loc, msg }) => `${Array.isArray(loc) ? loc.join('.') : ''} ${textOf(msg)}`).join(' ');
}

function statusIn(...values: unknown[]): number | null {
  const found = values.map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  return found ?? null;
}

/** Reads the body of an error: `{error: {code, type, param, message}}`, `{error: "…"}`, `{message}` or `{detail}`. */
export function readErrorBody(body: unknown): ErrorBody {
  const outer = isRecord(body) ? body : {};
  const error = isRecord(outer.error) ? outer.error : {};
  const codes = [error.code, error.type].filter((code) => typeof code === 'string');
  const message = [error.message, outer.error, outer.message].map(textOf).join(' ');
  return {
    errorCode: codes[0] ?? null,
    status: statusIn(error.code, error.status, outer.status),
    about: partIn(textOf(error.param)) ?? partIn(`${message} ${detailsOf(outer.detail ?? outer.message)}`),
  };
}
