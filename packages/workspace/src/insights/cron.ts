import { CronExpressionParser } from 'cron-parser';

/** A schedule that is none. Carries the expression as it was given, cut to a line. */
export class InvalidInsightSchedule extends Error {
  override readonly name = 'InvalidInsightSchedule';
  readonly code = 'invalid_schedule';
  readonly retryable = false;
  readonly schedule: string;

  constructor(schedule: string) {
    const shown = schedule.replace(/\s+/g, ' ').trim().slice(0, 100);
    super(
      `Invalid insight extraction schedule: ${shown} (expected five fields: minute, hour, day of month, month, day of week, as in "0 2 * * *")`,
    );
    this.schedule = shown;
  }
}

const CHARS_MAX = 200;

/**
 * When a schedule is next due, by the wall clock of a zone: a time of day that the clocks jump over comes as much later as they jumped (where
 * they jump at midnight, times of that first hour are left out that day); one that comes twice is due the first time only.
 * @param schedule five-field cron expression
 * @param from.timezone an IANA name
 * @param from.after epoch ms
 * @returns epoch ms, later than `after`
 * @throws InvalidInsightSchedule also for one that never comes, such as 30 February
 */
export function nextInsightsAt(schedule: string, from: { timezone: string; after: number }): number {
  const fields = schedule.trim().split(/\s+/);
  // Of `H` the parser would make a time of its own.
  if (
    fields.length !== 5 ||
    schedule.length > CHARS_MAX ||
    fields.some((field) => /[hH]/.test(field.replace(/thu/gi, '')))
  )
    throw new InvalidInsightSchedule(schedule);
  try {
    const options = { currentDate: new Date(from.after), tz: from.timezone };
    return CronExpressionParser.parse(fields.join(' '), options).next().getTime();
  } catch {
    throw new InvalidInsightSchedule(schedule);
  }
}

/** Whether an expression is a schedule that comes. */
export function isInsightSchedule(schedule: string): boolean {
  try {
    nextInsightsAt(schedule, { timezone: 'UTC', after: 0 });
    return true;
  } catch {
    return false;
  }
}
