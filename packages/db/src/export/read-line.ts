import { readJson } from '../import/json.ts';
import { isObject } from '../import/metadata.ts';
import type { ColumnShape, ExportColumn } from './columns.ts';
import { type ExportKind, MEMORY_KIND } from './kinds.ts';
import { SAID_COLUMNS, STATE_COLUMNS } from './memory-shape.ts';
import { RestoreRefused } from './refused.ts';
import type { Owner, Row } from './write-line.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/;
const BASE = new Set(['kind', 'tenant', 'user']);

const FITS: Record<ColumnShape, (value: unknown) => boolean> = {
  instant: (value) => typeof value === 'string' && INSTANT.test(value),
  text: (value) => typeof value === 'string',
  // JSON reads 1e999 as infinite.
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  json: () => true,
};
const EXPECTED: Record<ColumnShape, string> = {
  instant: 'an instant in UTC, as in 2026-04-12T18:30:00Z',
  text: 'a string',
  number: 'a number',
  boolean: 'true or false',
  json: 'a value',
};

/** The object of a line, or a refusal that quotes nothing of it. */
export function objectOfLine(text: string): Record<string, unknown> {
  const read = readJson(text);
  if ('code' in read) throw new RestoreRefused(read.code, read.message);
  if (isObject(read.value)) return read.value;
  throw new RestoreRefused('not_object', 'the line is not an object');
}

function takeFields(
  object: Record<string, unknown>,
  columns: readonly ExportColumn[],
  allowed: ReadonlySet<string>,
  row: Row,
): void {
  const known = new Set(columns.map(({ field }) => field));
  if (Object.keys(object).some((field) => !known.has(field) && !allowed.has(field))) {
    throw new RestoreRefused(
      'unknown_field',
      'the line has a field that an export of this version never has',
    );
  }
  for (const { column, field, shape, required } of columns) {
    const value = Object.hasOwn(object, field) ? (object[field] ?? null) : null;
    if (value === null && required) throw new RestoreRefused('missing', `${field} is missing`);
    if (value !== null && !FITS[shape](value)) {
      throw new RestoreRefused('wrong_type', `${field} must be ${EXPECTED[shape]}`);
    }
    row[column] = value;
  }
}

const STATE_FIELD: ReadonlySet<string> = new Set([...BASE, 'state']);

/** A line of an export as a row under its columns' names, its owner not included. @throws RestoreRefused */
export function rowOfLine(kind: ExportKind, object: Record<string, unknown>): Row {
  const row: Row = {};
  if (kind !== MEMORY_KIND) {
    takeFields(object, kind.columns, BASE, row);
    return row;
  }
  const { state } = object;
  if (!isObject(state)) throw new RestoreRefused('missing', 'state is missing; expected an object');
  takeFields(object, SAID_COLUMNS, STATE_FIELD, row);
  takeFields(state, STATE_COLUMNS, new Set(), row);
  return row;
}

/** Whose line it is. @throws RestoreRefused when it does not say */
export function ownerOfLine(object: Record<string, unknown>): Owner {
  const { tenant, user } = object;
  if (typeof tenant === 'string' && typeof user === 'string') return { tenant, user };
  throw new RestoreRefused('missing', 'tenant or user is missing');
}
