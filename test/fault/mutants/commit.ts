import { by, mutantsIn } from './table.ts';

const GUARDS = 'test/fault/guards-commit.test.ts';
const COMMIT = 'test/db/commit.test.ts';
const STATEMENTS = 'test/db/statements.test.ts';
const REVIEWS = 'test/db/reviews.test.ts';

/** The guards of a commit. */
export const COMMIT_MUTANTS = [
  ...mutantsIn('packages/db/src/fusions/statements.ts', [
    [
      'commit-lease',
      'a commit looks at its lease',
      'never',
      by(GUARDS, 'is kept from fusing again by the guard lease alone'),
    ],
    [
      'commit-ledger-closed',
      'a fusion that was answered, forgotten or has failed stays so',
      'never',
      by(COMMIT, 'ledger: a fusion that is'),
    ],
    [
      'commit-ledger-lock',
      'the ledger row is locked until the commit ends',
      'removed',
      by(GUARDS, 'ledger: its lock'),
    ],
    [
      'commit-content-key',
      'the key of a statement follows from its sources, and the id of what is derived from the key',
      'never',
      by(GUARDS, 'is kept from fusing again by the guard contentKey alone'),
    ],
    [
      'commit-stale-marked',
      'a fusion whose sources changed is planned anew',
      'removed',
      by(COMMIT, 'sources: a changed'),
    ],
    [
      'statements-release',
      'a closed fusion claims nothing any more',
      { is: 'live = live' },
      by(STATEMENTS, 'stand each for its sources'),
    ],
    [
      'statement-open',
      'a statement that a person turned down stays so',
      { is: 'true' },
      by(STATEMENTS, 'stay turned down'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/review.ts', [
    [
      'reopen-fence',
      'what an earlier answer left behind opens no fusion again',
      'removed',
      by(STATEMENTS, 'were lost before the last answer was used do not open it again'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/scope.ts', [
    [
      'lease-fence',
      'a lease is held under one fence',
      'removed',
      by(GUARDS, 'of a later hold of the same holder'),
    ],
    ['lease-holder', 'a lease is held by one holder', 'removed', by(GUARDS, 'of another holder')],
    ['lease-expiry', 'a lease that has run out is lost', 'removed', by(GUARDS, 'that has run out')],
    [
      'lease-lock',
      'nobody takes a user over while a commit is under way',
      'removed',
      by(GUARDS, 'lease: its lock keeps the user'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/apply.ts', [
    [
      'sources-version',
      'a source has the version that was planned with',
      { is: 'true' },
      by(GUARDS, 'is found by its version'),
    ],
    [
      'sources-content',
      'a source has the content that was planned with',
      { is: 'true' },
      by(GUARDS, 'is found by its content'),
    ],
    [
      'sources-latest',
      'a source is latest',
      { is: 'true' },
      by(GUARDS, 'is found by no longer being latest'),
    ],
    [
      'sources-owner',
      'a source belongs to the user',
      'removed',
      by(GUARDS, "somebody else's memory is none"),
    ],
    [
      'sources-lock',
      'the sources are locked until the commit ends',
      'removed',
      by(GUARDS, 'sources: their locks keep two apart'),
    ],
    [
      'sources-judged',
      'a source that changed makes the fusion stale',
      'removed',
      by(GUARDS, 'is kept from fusing again by the guard sources alone'),
    ],
    [
      'derived-once',
      'what was derived before is not linked again',
      'removed',
      by(COMMIT, 'content key: a ledger that lost its memory'),
      // The schema refuses the second lineage then.
      'SQLSTATE 23505',
    ],
    [
      'derived-conflict',
      'what was derived before is found, not an error',
      'removed',
      by(COMMIT, 'content key: a ledger that lost its memory'),
      'SQLSTATE 23505',
    ],
    [
      'row-count',
      'as many are superseded as were gated, or nothing',
      'never',
      by(GUARDS, 'is kept from fusing again by the guard rowCount alone'),
    ],
    [
      'supersede-latest',
      'only what is latest is superseded',
      'removed',
      by(COMMIT, 'row count: fewer rows superseded than gated rolls back'),
    ],
    [
      'journal-before',
      'the journal knows how a source was before',
      { is: 's.image,' },
      by(COMMIT, 'writes the derived memory, lineage, supersede'),
    ],
    [
      'applied-releases',
      'an approved statement claims nothing any more',
      'removed',
      by(REVIEWS, 'applies what was proposed, and says who wanted it'),
    ],
  ]),
];
