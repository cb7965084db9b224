/**
 * Values as node-postgres passes them, in both directions: what is written for a server must mean the same in the embedded
 * database.
 */
type Parser = (text: string) => unknown;

const INT8 = 20;
const INT8_ARRAY = 1016;
const BYTEA = 17;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

/** Parsers of result columns that differ from the embedded database's own. */
export const PARSERS: Record<number, Parser> = {
  // An int8 does not fit a number: text, as node-postgres gives it.
  [INT8]: (text) => text,
  [INT8_ARRAY]: parseIntegerArray,
  [BYTEA]: (text) => Buffer.from(text.slice(2), 'hex'),
  [DATE]: parseDate,
  [TIMESTAMP]: parseInstant,
  [TIMESTAMPTZ]: parseInstant,
};

/** `{1,NULL,{2}}` to nested arrays of text. */
function parseIntegerArray(text: string): unknown {
  // Bounds ("[0:1]={...}") stand before the first brace.
  const body = text.slice(text.indexOf('{'));
  const json = body
    .replaceAll(/-?\d+/g, '"$&"')
    .replaceAll('NULL', 'null')
    .replaceAll('{', '[')
    .replaceAll('}', ']');
  return JSON.parse(json);
}

function parseInstant(text: string): Date | number {
  if (text === 'infinity') return Infinity;
  if (text === '-infinity') return -Infinity;
  return new Date(text);
}

/** A date is midnight where the process runs. */
function parseDate(text: string): Date | number {
  const parts = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return parseInstant(text);
  const date = new Date(0);
  date.setFullYear(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  date.setHours(0, 0, 0, 0);
  return date;
}

/** A parameter as text, or null. The server infers its type from the statement, as with node-postgres. */
export function toParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (ArrayBuffer.isView(value)) return `\\x${bytesOf(value).toString('hex')}`;
  if (value instanceof Date) return dateText(value);
  if (Array.isArray(value)) return arrayText(value);
  return JSON.stringify(value);
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return arrayText(value);
  const text = toParameter(value) ?? '';
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function bytesOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

/** Local time with its offset, so that a plain timestamp or date gets what the process's clock showed. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new RangeError('an invalid Date cannot be a parameter');
  const pad = (value: number, width = 2) => String(value).padStart(width, '0');
  const year = date.getFullYear();
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  const day = `${pad(year < 1 ? 1 - year : year, 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
  return `${day}T${time}${zone}${year < 1 ? ' BC' : ''}`;
}
