/** Wall clocks of time zones, from the zone data that JavaScript itself carries. A wall time is written as if it were UTC, in epoch ms. */

const HOUR_MS = 3_600_000;
/** Zones in use at once; beyond it the memo starts anew, so that odd zone names cannot fill the memory. */
const FORMATTERS_MAX = 1_000;

// Making a formatter costs a hundred times what using it does.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  formatters.set(zone, made);
  return made;
}

/** Whether this runtime knows a time zone by that name. A bare offset is none: it has no summer time. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatterOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What a wall clock in the zone shows at an instant, to the second. */
export function wallTimeAt(zone: string, instant: number): number {
  const fields: Record<string, number> = {};
  for (const part of formatterOf(zone).formatToParts(instant)) fields[part.type] = Number(part.value);
  const { year, month, day, hour, minute, second } = fields;
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}

/** How far wall clocks are ahead of UTC at an instant (a whole second), in ms. */
function offsetAt(zone: string, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  return wallTimeAt(zone, second) - second;
}

/** A wall time as an instant. `exists` is false when clocks jumped over it; then `instant` is that of the jump. */
export interface ResolvedWallTime {
  instant: number;
  exists: boolean;
}

/**
 * The instant at which wall clocks show a time; of two (clocks went back) the earlier one. Looks at the offsets 15 hours to
 * either side, so it assumes at most one change of the clocks within 30 hours.
 * @param wall wall time, whole seconds
 */
export function instantAtWallTime(zone: string, wall: number): ResolvedWallTime {
  const before = offsetAt(zone, wall - 15 * HOUR_MS);
  const after = offsetAt(zone, wall + 15 * HOUR_MS);
  if (before === after) return { instant: wall - before, exists: true };
  const candidates = [wall - before, wall - after].sort((a, b) => a - b);
  for (const instant of candidates) {
    if (instant + offsetAt(zone, instant) === wall) return { instant, exists: true };
  }
  return { instant: changeBetween(zone, candidates[0]!, candidates[1]!, before), exists: false };
}

/** First instant after `from` and up to `to` (whole seconds) at which the offset is no longer `offset`. */
function changeBetween(zone: string, from: number, to: number, offset: number): number {
  let low = from;
  let high = to;
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetAt(zone, middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}
