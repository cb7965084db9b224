import { by, mutantsIn } from './table.ts';

const MERGES = 'test/db/merges.test.ts';
const REVIEWS = 'test/db/reviews.test.ts';

/** The guards of a merge, of an approval and of an edit. */
export const MERGE_MUTANTS = [
  ...mutantsIn('packages/db/src/editing/edit.ts', [
    [
      'edit-version',
      'an edit is of the version that the editor read',
      'never',
      by('test/db/editing.test.ts', 'refuses another version than the editor read'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/merge.ts', [
    [
      'merge-lease',
      'a merge looks at its lease',
      'never',
      by(MERGES, 'lease: whoever lost the user writes nothing, and is told'),
    ],
    [
      'merge-ledger',
      'a merge that was undone, rejected or forgotten stays so',
      'never',
      by(MERGES, 'ledger: one that is'),
    ],
    [
      'merge-source-set',
      'a pair whose merge was undone is not merged by another way',
      'removed',
      by(MERGES, 'source set: one that was undone in another tier stays so'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/merge-apply.ts', [
    ['merge-sources', 'duplicates are what was compared', 'removed', by(MERGES, 'sources: a changed')],
    [
      'merge-alike',
      'one does not stand for what somebody else said',
      'removed',
      by(MERGES, 'sources: what others said does not stand for what the user said'),
    ],
    [
      'merge-row-count',
      'both memories of a merge are written, or none',
      'never',
      by(MERGES, 'row count: a memory that is no longer latest rolls back'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/review.ts', [
    [
      'approve-lease',
      'an approval looks at its lease',
      'never',
      by(REVIEWS, 'lease: whoever lost the user writes nothing'),
    ],
    [
      'approve-expiry',
      'what waited for too long can no longer be approved',
      'removed',
      by(REVIEWS, 'expiry: what waited for too long is taken back'),
    ],
    [
      'approve-ledger',
      'only what waits for a person can be approved',
      'never',
      by(REVIEWS, 'ledger: what was rejected meanwhile stays so'),
    ],
    [
      'approve-lock',
      'of an approval and a rejection one counts',
      'removed',
      by(REVIEWS, 'a rejection: the one that is first counts'),
    ],
  ]),
];
