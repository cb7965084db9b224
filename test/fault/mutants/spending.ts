import { by, mutantsIn } from './table.ts';

const SPENDING = 'test/db/spending.test.ts';
const EMBEDDINGS = 'test/integration/embedding-costs.test.ts';
const BUDGETS = 'test/integration/budgets.test.ts';
const TOGETHER = 'test/db/spending-together.test.ts';

/** The books of model calls while a user goes. */
export const SPENDING_MUTANTS = [
  ...mutantsIn('packages/db/src/spending/reserve.ts', [
    [
      'spending-user-first',
      'a call that waits for its user holds up no other call of the tenant',
      'removed',
      by(TOGETHER, 'holds up nobody else while a call waits for its user'),
      'in vain: the call of another user',
    ],
  ]),
  ...mutantsIn('apps/worker/src/budget.ts', [
    [
      'step-share',
      'an early step of a night leaves the later ones their share',
      { is: 'return {}' },
      by(BUDGETS, 'keep a share for each step that still comes'),
    ],
  ]),
  ...mutantsIn('packages/db/src/spending/reserve.ts', [
    [
      'embedding-tokens',
      'tokens that are embedded are none of a language model',
      { is: 'const isEmbedding = false;' },
      by(EMBEDDINGS, 'count in dollars, and not among the tokens of language models'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/steps/embed.ts', [
    [
      'embed-budget',
      'a budget that embeds nothing any more fails no run',
      'removed',
      by(EMBEDDINGS, 'are left until the budget is whole again'),
    ],
  ]),
  ...mutantsIn('packages/db/src/spending/periods.ts', [
    [
      'period-in-force',
      'a change of time zone begins no new budget',
      'removed',
      by(BUDGETS, 'are not whole again when the user moves to another time zone'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/fusion-job.ts', [
    [
      'retry-tokens',
      'a retry stands under the tokens of its step, and under what its run took of them',
      { is: 'const limited = limitTokens(asked, tokens);' },
      by(BUDGETS, 'leave a retry what the step of its run left over'),
    ],
  ]),
  ...mutantsIn('packages/db/src/scheduling/run-requests.ts', [
    [
      'request-gap',
      'runs that are asked for and call a model begin a minute apart',
      'removed',
      by(
        'test/db/scheduling/run-requests.test.ts',
        'are refused until a minute after the last one that called a model began',
      ),
    ],
  ]),
  ...mutantsIn('apps/producer/src/http/consolidations.ts', [
    [
      'request-spaced',
      'who is not the operator keeps the distance',
      { is: 'const isSpaced = false;' },
      by(
        'test/producer/http/consolidations.test.ts',
        'is refused within a minute after one that called a model',
      ),
    ],
  ]),
  ...mutantsIn('packages/db/src/forgetting/user.ts', [
    [
      'spending-goes',
      'what is under way when its user goes is spent, and held back no longer',
      'removed',
      by(SPENDING, 'counts in full what is under way when its user is forgotten'),
    ],
  ]),
];
