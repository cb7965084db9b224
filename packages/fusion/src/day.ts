/** The day of an instant, YYYY-MM-DD in UTC; null outside of what a date can hold. @param at epoch ms */
export function dayOf(at: number): string | null {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString().split('T')[0]! : null;
}

/**
 * The day of an instant where somebody lives, YYYY-MM-DD; null outside of what a date can hold.
 * @param at epoch ms
 * @param timeZone an IANA name; one that is not known counts as UTC
 */
export function localDay(at: number, timeZone: string): string | null {
  if (Math.abs(at) > 8.64e15) return null;
  const format = dayFormat(timeZone);
  if (format === null) return dayOf(at);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  // Before the year 1 a formatter counts backwards within another era.
  const plain = parts.get('era') === undefined || parts.get('era') === 'AD';
  return plain
    ? `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
    : dayOf(at);
}

const formats = new Map<string, Intl.DateTimeFormat | null>();
const MAX_FORMATS = 1_000;

/** A formatter is dear to make and there are few zones. */
function dayFormat(timeZone: string): Intl.DateTimeFormat | null {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  } catch {
    // A zone that this build of the runtime does not know.
  }
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}
