import { at, by, mutantsIn } from './table.ts';

const RUNS = 'test/fault/guards-runs.test.ts';
const JOBS = 'test/fault/guards-jobs.test.ts';
const SCHEDULING = 'packages/db/src/scheduling';
const TESTS = 'test/db/scheduling';
const STARTS = `${TESTS}/run-starts.test.ts`;
const BEGINS = `${TESTS}/begin-run.test.ts`;
const RECORDS = `${TESTS}/runs.test.ts`;
const DUE = `${TESTS}/due.test.ts`;
const REQUESTS = `${TESTS}/run-requests.test.ts`;
const QUARANTINE = `${TESTS}/quarantine.test.ts`;
const TOGETHER = 'test/db/scheduling-concurrency.test.ts';

/** Runs begin and end once, and nobody is worked on who must not be. */
export const RUN_MUTANTS = [
  ...mutantsIn(`${SCHEDULING}/run-ends.ts`, [
    [
      'finish-overtaken',
      'no run is ended by a holder who lost the user',
      'removed',
      by(RECORDS, 'not by a holder who lost the user'),
    ],
    [
      'finish-fence',
      'a run that somebody else goes on with is not ended by its earlier holder',
      'removed',
      by(RUNS, 'and that somebody goes on with: its end is not heard'),
    ],
    [
      'finish-once',
      'a run ends once',
      'removed',
      by(TOGETHER, 'ends a run once when its end is repeated at the same time'),
    ],
    [
      'abandon-earlier',
      'only runs of earlier holders are abandoned',
      'removed',
      by(RECORDS, 'of earlier holders are abandoned and count as failures'),
    ],
    [
      'quarantine-unended',
      'who ends its workers again and again goes into quarantine',
      'removed',
      by(QUARANTINE, 'holds back a user with the third in a row'),
    ],
    [
      'quarantine-faults',
      'who fails again and again goes into quarantine',
      'always',
      by(QUARANTINE, 'holds back a user with the fifth in a row'),
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/run-starts.ts`, [
    [
      'start-overtaken',
      'nothing begins under a hold that was overtaken',
      'removed',
      by(RUNS, 'before it began: it does not begin'),
    ],
    [
      'start-due',
      'a wake-up of what is not due begins nothing',
      'removed',
      by(JOBS, 'delivered again afterwards: that nothing is due any more alone'),
    ],
    [
      'start-backing-off',
      'what failed is not tried again at once',
      'removed',
      by(STARTS, 'begins nothing when the tier is'),
    ],
    [
      'start-quarantine',
      'nothing begins for a user in quarantine',
      { is: 'when false' },
      by(STARTS, 'of a user in quarantine leaves the run that was asked for standing'),
    ],
    [
      'resume-fence',
      'a run of a later hold is not begun by an earlier one',
      'removed',
      by(RECORDS, 'again after their holder was lost, not before'),
    ],
    [
      'resume-status',
      'a run that has ended is not begun again',
      'removed',
      by(RECORDS, 'not when they ended, are of another tier, or do not exist'),
    ],
    [
      'start-unmarks',
      'a run that begins takes the mark of its wake-up away',
      'removed',
      by(STARTS, 'and the mark is taken back'),
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/begin-run.ts`, [
    [
      'begin-taken',
      'no run begins for whoever did not get the user',
      'removed',
      by(BEGINS, 'is one of several that are asked for at once'),
    ],
    [
      'begin-taken-over',
      'no run begins before it is known what was left behind',
      'removed',
      by(BEGINS, 'waits until somebody has looked for what an earlier holder left behind'),
    ],
    [
      'begin-suspect',
      'no run begins out of its turn after a start that never ended',
      'removed',
      by(BEGINS, 'waits for its turn after a start that never ended'),
    ],
    [
      'begin-late-sleep',
      'no sleep begins late without a look at the clock',
      'removed',
      by(BEGINS, 'waits for a look at the clock when it is a sleep that is late'),
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/run-requests.ts`, [
    ['request-once', 'asking twice is one run', 'removed', by(RECORDS, 'twice are one, until they begin')],
    [
      'request-lock',
      'two who ask at once get one run',
      'removed',
      by(TOGETHER, 'makes one run of two requests at the same time'),
    ],
    [
      'request-quarantine',
      'nothing is asked for while a user is in quarantine',
      'removed',
      by(REQUESTS, 'are for each what they would be alone'),
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/due-page.ts`, [
    [
      'due-lock',
      'no user is on two pages',
      'removed',
      by(TOGETHER, 'gives two dispatchers pages without a common user'),
      'Test timed out',
    ],
    [
      'due-skip-locked',
      'no dispatcher waits for another one',
      at('due-lock', { is: 'for update of t' }),
      by(TOGETHER, 'gives two dispatchers pages without a common user'),
      'Test timed out',
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/due.ts`, [
    [
      'due-marked',
      'who waits in the queue is not put there again',
      { is: 'true' },
      by(DUE, 'finds due users of all tenants once'),
    ],
    [
      'due-held',
      'who is being worked on is passed over',
      { is: 'true' },
      by(DUE, 'passes over who is being worked on'),
    ],
    ['due-quarantine', 'nobody in quarantine is due', 'removed', by(DUE, 'passes over who')],
    [
      'due-returned',
      'a mark that somebody else has set stays',
      'removed',
      by(DUE, 'takes marks back, but only its own'),
    ],
  ]),
  ...mutantsIn(`${SCHEDULING}/night-gate.ts`, [
    [
      'night-gate',
      'a sleep that missed its night waits for the next one',
      'always',
      by(`${TESTS}/night-gate.test.ts`, 'waits for the next night when it missed its own'),
      'actual value must be number or bigint',
    ],
  ]),
];
