import { by, mutantsIn } from './table.ts';

const COMMITS = 'test/fault/guards-commit.test.ts';
const LATE = 'test/fault/guards-answers.test.ts';
const COMMIT = 'test/db/commit.test.ts';
const ANSWERS = 'test/db/answers.test.ts';
const UNDO = 'test/db/undo-depends.test.ts';
const ISOLATION = 'test/db/isolation.test.ts';
const PARTITIONS = 'test/db/partitions.test.ts';

/** Claims, paid answers, the state of fusions, undo, and the border between tenants. */
export const LEDGER_MUTANTS = [
  ...mutantsIn('packages/db/src/fusions/claim.ts', [
    [
      'claim-live',
      'a claim keeps other plans from its sources',
      { is: 'false' },
      by(COMMITS, 'of one hold: the claim alone keeps them apart'),
    ],
    [
      'claim-refusal',
      'a claim that is refused is no error',
      'removed',
      by(COMMIT, 'of overlapping sources: the second is turned away'),
      'fusion_sources_claim',
    ],
    [
      'claim-superseded-refusal',
      'a source that another fusion superseded makes a commit stale',
      { is: 'false' },
      by(COMMITS, 'whose claims lapsed: a memory is superseded by one fusion at most'),
      'fusion_sources_superseded',
    ],
    [
      'claim-fence',
      'whoever lost the user does not claim what a later holder plans',
      'removed',
      by(COMMIT, 'of a later holder are not taken over by an earlier one'),
    ],
    [
      'claim-lapse-fence',
      'only claims of an earlier hold lapse',
      'removed',
      by(COMMITS, 'of an earlier hold: it takes no claim of a later one away'),
    ],
    [
      'claim-lapse',
      'claims of an earlier hold lapse',
      'removed',
      by(COMMIT, 'lapse with the fence that made them'),
    ],
    [
      'claim-lapse-status',
      'what waits for a person keeps its sources',
      'removed',
      by('test/db/reviews.test.ts', 'keeps its sources out of every other plan'),
    ],
    [
      'claim-failed',
      'what failed is tried again only when somebody retries it',
      'removed',
      by(COMMIT, 'of a failed fusion are open to a retry only'),
    ],
    [
      'memo-found',
      'an answer that was paid for is found again',
      { is: 'null::text' },
      by(LATE, 'an answer that was paid for is used by whoever comes next'),
    ],
    [
      'memo-attempt',
      'what follows a rejected answer is another attempt',
      'removed',
      by(COMMIT, 'hand back a paid answer until it is judged unusable'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/answer.ts', [
    [
      'answer-attempt',
      'an answer belongs to the attempt that paid for it',
      'removed',
      by(LATE, 'an answer to an attempt that is over'),
    ],
    [
      'answer-open',
      'a late answer does not open a fusion again',
      { is: 'true' },
      by(LATE, 'an answer to a fusion that is closed: only what it cost is kept'),
    ],
    [
      'answer-present',
      'an answer about a memory that was forgotten is dropped',
      'removed',
      by(COMMIT, 'drop an answer whose source was forgotten meanwhile'),
    ],
    [
      'judgement-open',
      'a late judgement does not touch what is closed',
      'removed',
      by(LATE, 'a judgement of a fusion that is closed'),
    ],
    [
      'judgement-rejects',
      'a rejected answer does not come back',
      'removed',
      by(COMMIT, 'hand back a paid answer until it is judged unusable'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/steps/fusion.ts', [
    [
      'held-first',
      'nothing is asked for a user who is somebody else\u2019s',
      'removed',
      by('test/integration/steps-deep.test.ts', 'lost its user while it planned asks no model'),
    ],
    [
      'step-stuck',
      'a step whose time all went to its own work has failed',
      'never',
      by('test/integration/steps-deep.test.ts', 'checks that take longer than the step may'),
    ],
    [
      'left-closed',
      'what earlier runs left behind and nobody can finish is closed',
      'removed',
      by('test/fault/left-failures.test.ts', 'is closed by the run in which they did'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/stale.ts', [
    [
      'left-fence',
      'a fusion that a later holder plans is not closed by an earlier one',
      'removed',
      by(COMMIT, 'of a fusion that nobody can finish are let go by a later holder'),
    ],
    [
      'left-changed',
      'a fusion of an earlier hold that can still be finished is not closed',
      'removed',
      by(COMMIT, 'of a fusion that nobody can finish are let go by a later holder'),
    ],
    [
      'stale-open',
      'only an open fusion becomes stale',
      'removed',
      by(COMMITS, 'is kept from fusing again by the guard rowCount alone'),
    ],
  ]),
  ...mutantsIn('packages/db/src/answers/answers.ts', [
    [
      'paid-rejected',
      'a rejected answer never comes back',
      { is: 'true' },
      by(ANSWERS, 'never comes back once it was rejected'),
    ],
    [
      'paid-present',
      'an answer made of what was forgotten is dropped',
      'removed',
      by(ANSWERS, 'was forgotten meanwhile, the spend is recorded and the text dropped'),
    ],
  ]),
  ...mutantsIn('packages/db/src/undo/undo.ts', [
    [
      'undo-obstacles',
      'nothing is undone that something else stands on',
      'always',
      by(UNDO, 'a derived memory of which another fusion was made'),
    ],
    [
      'undo-locks',
      'of two undos one takes it back',
      'removed',
      by(UNDO, 'of another undo, only one of the two takes it back'),
    ],
    [
      'undo-stales',
      'a fusion that counts on what was undone is planned anew',
      'removed',
      by('test/db/undo.test.ts', 'makes a fusion stale that counts on what changed'),
    ],
  ]),
  ...mutantsIn('packages/db/src/undo/plan.ts', [
    [
      'undo-unbroken',
      'a column that somebody changed since is not put back',
      { is: 'true' },
      by(UNDO, 'a change of the same column, but not one of another'),
    ],
  ]),
  ...mutantsIn('packages/db/src/database.ts', [
    [
      'tenant-role',
      'the service works in a role that owns nothing',
      { is: 'select 1' },
      { ...by(ISOLATION, 'shows a tenant no row of another one'), embedded: true },
    ],
  ]),
  ...mutantsIn('packages/db/src/server-transactions.ts', [
    [
      'server-tenant-role',
      'the service works in a role that owns nothing, on a server too',
      { is: 'select 1' },
      by(ISOLATION, 'shows a tenant no row of another one'),
    ],
    [
      'stale-statement',
      'a connection whose kept statements are of a table as it was leaves the pool',
      'never',
      by('test/db/prepared-statements.test.ts', 'that keeps a statement whose table changed'),
      'SQLSTATE 0A000',
    ],
  ]),
  ...mutantsIn('packages/db/src/memories/neighbours.ts', [
    [
      'pairs-own',
      "rows that go by their address are the user's own",
      'removed',
      by(PARTITIONS, 'keep the rows of others as they were'),
    ],
  ]),
  ...mutantsIn('packages/db/src/errors.ts', [
    [
      'database-error-text',
      'no error of the database repeats what it was given',
      { is: 'String(driver.message)' },
      by(COMMIT, 'says what it refused without repeating what it was given'),
    ],
  ]),
];
