import { type FieldSource, fieldOf, readName } from './fields.ts';
import type { LineDefaults } from './memory-line.ts';
import type { Report } from './problems.ts';
import { RECORD_DEFAULTS, type UserRecord } from './record.ts';

const FIELDS: readonly string[] = ['kind', 'tenant', 'user', 'timezone', 'quietStart', 'quietEnd'];

/** Answers whether this runtime knows the zone by its IANA name. Bare offsets are refused: they have no summer time. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function readZone(source: FieldSource): string | null {
  const zone = readName(source, 'timezone');
  if (zone === null || isTimeZone(zone)) return zone;
  source.report('invalid_zone', 'timezone', 'timezone must be an IANA zone name, as in Europe/Berlin or UTC');
  return null;
}

/** A time of day as minutes after midnight. */
function readClock(source: FieldSource, field: string): number | null {
  const text = fieldOf(source, field);
  if (text === null) return null;
  const match = typeof text === 'string' ? /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) : null;
  if (match) return Number(match[1]) * 60 + Number(match[2]);
  source.report('out_of_range', field, `${field} must be a time of day from 00:00 to 23:59, as in 02:00`);
  return null;
}

/** A parsed object of the kind "user" as a record; null when anything is wrong, all of which is reported. */
export function readUser(
  object: Record<string, unknown>,
  defaults: LineDefaults,
  report: Report,
): UserRecord | null {
  let clean = true;
  const source: FieldSource = {
    object,
    report: (...problem) => {
      clean = false;
      report(...problem);
    },
  };
  if (Object.keys(object).some((field) => !FIELDS.includes(field))) {
    // A user has no metadata in which it could be kept.
    source.report(
      'unknown_field',
      null,
      `a line of the kind user has a field other than ${FIELDS.join(', ')}`,
    );
  }
  const user = readName(source, 'user') ?? defaults.user ?? null;
  if (user === null && fieldOf(source, 'user') === null) {
    source.report('missing', 'user', 'user is missing; expected the name of a user');
  }
  const tenant = readName(source, 'tenant') ?? defaults.tenant ?? RECORD_DEFAULTS.tenant;
  const timezone = readZone(source);
  const quietStart = readClock(source, 'quietStart');
  const quietEnd = readClock(source, 'quietEnd');
  if ((fieldOf(source, 'quietStart') === null) !== (fieldOf(source, 'quietEnd') === null)) {
    source.report('missing', 'quietStart', 'quietStart and quietEnd must be given together');
  }
  if (!clean || user === null) return null;
  return { kind: 'user', tenant, user, timezone, quietStart, quietEnd };
}
