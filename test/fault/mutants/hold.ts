import { at, by, mutantsIn } from './table.ts';

const JOBS = 'test/fault/guards-jobs.test.ts';
const STEPS = 'test/worker/run-steps.test.ts';
const FUSIONS = 'test/worker/fusion-job.test.ts';
const SCHEDULING = 'packages/db/src/scheduling';
const LEASES = 'test/db/scheduling/leases.test.ts';
const KEEP = `${SCHEDULING}/keep-lease.test.ts`;

/** One job per user at a time. */
export const HOLD_MUTANTS = [
  ...mutantsIn(`${SCHEDULING}/leases.ts`, [
    [
      'acquire-live',
      'a live lease is busy',
      'removed',
      by(LEASES, 'hold a user for one, and tell the others for how long'),
      'held',
    ],
    [
      'acquire-live-job',
      'two deliveries of one job are one run',
      at('acquire-live', 'removed'),
      by(JOBS, 'delivered twice at the same time: the hold alone'),
    ],
    [
      'acquire-fence',
      'the fence grows with every hold',
      'removed',
      by(LEASES, 'are taken over when they run out, with a higher fence'),
    ],
    [
      'acquire-known',
      'nobody is held whom the tenant does not have',
      { is: 'true as known, 1::float8 as fence,' },
      by(LEASES, 'exist for known users of the tenant only'),
    ],
    [
      'renew-fence',
      'only the present fence renews',
      'removed',
      by(LEASES, 'are renewed by their holder and fence only'),
    ],
    [
      'renew-holder',
      'only the holder renews',
      'removed',
      by(LEASES, 'are renewed by their holder and fence only'),
    ],
    [
      'release-fence',
      'only the present fence gives a user back',
      'removed',
      by(LEASES, 'that ran out can be renewed while nobody took them, and not afterwards'),
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/keep-lease.ts`, [
    [
      'keep-taken',
      'a refused renewal is a lost lease',
      'removed',
      by(KEEP, 'says once that somebody else took the user'),
    ],
    [
      'keep-deadline',
      'a lease is lost when no renewal comes through',
      { is: '() => undefined' },
      by(KEEP, 'is lost when no renewal comes through'),
    ],
    [
      'keep-blocked',
      'a lease that ran out while the process stood still is told from one that nobody answered for',
      { is: 'const isBlocked = false;' },
      by(KEEP, 'says that its own process stood still'),
    ],
    [
      'keep-asked',
      'a lease is counted from when it was asked for',
      { is: 'ttlMs' },
      by(KEEP, 'counts from when it asked, not from when it was answered'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/require-lease.ts', [
    [
      'require-lease',
      'every write proves its lease',
      'removed',
      by(STEPS, 'write only while the user is held'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/run-steps.ts', [
    [
      'write-lease',
      'every write of a step proves its lease',
      'removed',
      by(JOBS, 'what a step was about to write when its user was taken is not written'),
    ],
    [
      'write-one-lease',
      'a write of one statement proves its lease',
      'removed',
      by(STEPS, 'write in one statement only while the user is held'),
    ],
    [
      'write-late',
      'what took so long that its step is over is not kept',
      'removed',
      by(JOBS, 'what took so long that its job is over is not kept'),
    ],
    [
      'step-timeout',
      'a step that does not end is given up',
      'removed',
      by(STEPS, 'go on after one that never ends'),
      'Test timed out',
    ],
    [
      'steps-abandoned',
      'a step that is deaf does not hold up the end of its job',
      'removed',
      by(STEPS, 'all end when the job is over, even while one is deaf to it'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/user-job.ts', [
    [
      'blocked-unended',
      'a run that blocked its worker counts as one without an end',
      'never',
      by(JOBS, 'a run that blocks its worker for longer than the lease lasts is unended'),
    ],
    [
      'one-suspect',
      'of those who were at work when a process ended, one at a time runs',
      'never',
      by(JOBS, 'of those who were at work when a process ended, one at a time runs'),
      'timed out',
    ],
    [
      'turn-given-back',
      'whoever has had its turn gives it to the next one',
      'removed',
      by(JOBS, 'of those who were at work when a process ended, one at a time runs'),
      'in vain: the next one to be at work',
    ],
  ]),
  ...mutantsIn('apps/worker/src/fusion-job.ts', [
    [
      'fusion-blocked',
      'a retried fusion that blocked its worker counts as a run without an end',
      'never',
      by(FUSIONS, 'a turn that blocks its worker for longer than the lease lasts'),
    ],
    [
      'fusion-deadline',
      'a retried fusion that a whole step is too short for uses an attempt',
      'never',
      by(FUSIONS, 'checks that take longer than a whole step may'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/hold.ts', [
    [
      'lease-lost-abort',
      'a lost lease aborts the job',
      'removed',
      by(JOBS, 'a hold that is lost ends the job at once'),
      'Test timed out',
    ],
    [
      'takeover-abandons',
      'whoever takes over says what was left behind',
      'always',
      by(JOBS, 'who takes a user over says what was left behind'),
    ],
  ]),
];
