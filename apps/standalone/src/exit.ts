import { UsageError } from './usage-error.ts';

export { UsageError };

/** Exit codes, as `slowwave help exit-codes` says what they mean. */
export const EXIT = { ok: 0, refusedLines: 1, failed: 1, config: 2, unreachable: 3, inUse: 4 } as const;

export const unknownUser = (user: string): UsageError =>
  new UsageError(
    `there is no user ${user}: import memories for this user first (slowwave import FILE --user ${user})`,
  );

/** What was asked for is held back until somebody does what the message says. */
export class HeldBack extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HeldBack';
  }
}
