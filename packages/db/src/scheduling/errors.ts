export type ScheduleErrorCode = 'invalid_timezone' | 'invalid_quiet_hours' | 'too_many_users';

/** A schedule that cannot be kept. Never retryable: the input has to change. */
export class ScheduleError extends Error {
  readonly code: ScheduleErrorCode;
  readonly retryable = false;

  constructor(code: ScheduleErrorCode, message: string) {
    super(message);
    this.name = 'ScheduleError';
    this.code = code;
  }
}
