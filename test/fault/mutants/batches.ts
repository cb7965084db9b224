import { by, mutantsIn } from './table.ts';

const BATCHES = 'test/integration/batches.test.ts';
const SENT = 'test/integration/batches-sent.test.ts';
const PAGES = 'test/integration/batches-pages.test.ts';
const TEXTS = 'test/integration/batches-texts.test.ts';
const SPENDING = 'test/db/spending.test.ts';

/** Questions that wait in batches: asked once, paid for once, and forgotten with their user. */
export const BATCH_MUTANTS = [
  ...mutantsIn('packages/db/src/batches/find.ts', [
    [
      'batch-waiting',
      'a question whose answer is on its way is not asked again',
      'never',
      by(BATCHES, 'keep what is asked about from being fused otherwise'),
    ],
    [
      'batch-deadline',
      'a question past its deadline is asked directly',
      'removed',
      by(SENT, 'past the deadline are not waited for'),
    ],
    [
      'batch-taken',
      'an answer that is stored under its key does not stay where it waited',
      { is: 'select 1' },
      by(TEXTS, 'stand in the tables of batches and of memories, and nowhere else'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/claim.ts', [
    [
      'batch-claim',
      'what waits for its answer keeps its sources',
      'removed',
      by(BATCHES, 'keep what is asked about from being fused otherwise'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/collect.ts', [
    [
      'batch-forgotten',
      'what was read before something was forgotten is not written down',
      'never',
      by(TEXTS, 'of texts that were read before something was forgotten reserve nothing'),
    ],
    [
      'batch-forbidden',
      'a tenant that wants no batches has none',
      'removed',
      by(BATCHES, 'is asked for directly'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/send.ts', [
    [
      'batch-begun',
      'of two who send a batch one does',
      'removed',
      by(SENT, 'is begun once, whoever comes again'),
    ],
    [
      'batch-allowed',
      'what was collected before a tenant forbade it is not sent',
      'removed',
      by(BATCHES, 'has nothing sent that was collected before'),
    ],
    [
      'batch-late',
      'what waited past its deadline is not sent',
      'removed',
      by(SENT, 'that a batch never gave up are asked for directly'),
    ],
    [
      'batch-body',
      'a question that the provider has is not kept here',
      { is: 'body = body' },
      by(TEXTS, 'stand in the tables of batches and of memories, and nowhere else'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/open.ts', [
    [
      'batch-look',
      'of several who look at a batch one does',
      'removed',
      by(SENT, 'is looked at by one of two that found it in the same list'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/results.ts', [
    [
      'batch-dropped',
      'an answer that nobody wants any more is not written down',
      'never',
      by(TEXTS, 'of somebody of whom something is forgotten while they are sent come back in nothing'),
    ],
    [
      'batch-settled',
      'what an answer took is settled',
      'removed',
      by(BATCHES, 'let a night wait, cost half, and be applied'),
    ],
    [
      'batch-twice',
      'a result that comes twice is stored and told of once',
      'removed',
      by(PAGES, 'are stored with their users, user after user, and told of once'),
    ],
    [
      'batch-names',
      "what is no name of a question is nobody's",
      { is: 'const ids = of.ids;' },
      by(SENT, 'of nobody, and lines that are none, are counted and nothing else'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/end.ts', [
    [
      'batch-paused',
      'where sleep is paused no run is asked for',
      'removed',
      by(PAGES, 'are none where sleep is paused, in quarantine, or where one was asked for already'),
    ],
  ]),
  ...mutantsIn('packages/db/src/spending/close.ts', [
    [
      'close-first',
      'a call that is named twice is closed once, with what was said first',
      'always',
      by(SPENDING, 'closes several calls of several days together'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/ask.ts', [
    [
      'batch-unsafe',
      'an answer that no database takes keeps nobody from theirs',
      { is: 'return text;' },
      by(PAGES, 'that no database takes as they are keep nobody from theirs'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/forget.ts', [
    [
      'batch-forget',
      'forgetting reaches what is under way',
      'removed',
      by(TEXTS, 'of somebody of whom something is forgotten while they are sent come back in nothing'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/batches/send-batch.ts', [
    [
      'batch-reconcile',
      'a batch of which nobody heard is looked for before it is sent again',
      'removed',
      by(SENT, 'and of which nobody heard is found in the list'),
    ],
    [
      'batch-perhaps',
      'one that still runs and may be ours is waited for',
      'always',
      by(SENT, 'and of which nobody heard is found in the list'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/steps/rem.ts', [
    [
      'batch-rem',
      'REM asks nothing that the answers of other steps will change',
      'never',
      by(BATCHES, 'let a night wait, cost half, and be applied'),
    ],
  ]),
];
