import { by, mutantsIn } from './table.ts';

const DOUBLED = 'test/fault/guards-queue.test.ts';
const REDIS = 'test/queue/redis.test.ts';
const LOCK = 'packages/queue/src/lock-watch.test.ts';
const OUTCOME = 'packages/queue/src/outcome.test.ts';
const SAFE = 'packages/queue/src/safe-error.test.ts';
const PAYLOAD = 'packages/queue/src/payload.test.ts';

/** Deduplication, locks, payloads, and what the queue may know of a failure. */
export const QUEUE_MUTANTS = [
  ...mutantsIn('packages/queue/src/producer.ts', [
    [
      'wake-up-merged',
      'wake-ups of one user and tier merge',
      'removed',
      by(DOUBLED, 'wake-ups: the queue alone merges those of one user and tier'),
    ],
    [
      'wake-up-follows',
      'a wake-up while its user is worked on is not lost',
      'removed',
      by(REDIS, 'runs once more, and only once, when wake-ups come'),
    ],
    [
      'adhoc-merged',
      'jobs of one request merge',
      'removed',
      by(DOUBLED, 'and the queue alone merges its jobs'),
    ],
    [
      'fusion-merged',
      'one key is one job',
      'removed',
      by(REDIS, 'merges a fusion that is waiting or running'),
    ],
    [
      'fusion-restarted',
      'a fusion in the failed list is not swallowed',
      'always',
      by(REDIS, 'does not swallow a fusion whose job is still in the failed list'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/ids.ts', [
    [
      'dedup-user',
      'no two users merge',
      'removed',
      by(REDIS, 'merges doubled wake-ups of one user and tier, and of nobody else'),
    ],
    [
      'dedup-tenant',
      'no two tenants merge',
      'removed',
      by(REDIS, 'merges doubled wake-ups of one user and tier, and of nobody else'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/lock-watch.ts', [
    [
      'lock-refused',
      'a refused renewal of the lock aborts its job',
      'removed',
      by(LOCK, 'aborts at once what was refused'),
    ],
    [
      'lock-unconfirmed',
      'a lock that nobody confirms aborts its job before it runs out',
      { is: '() => undefined' },
      by(LOCK, 'aborts a job before its lock runs out when nobody confirms it'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/outcome.ts', [
    [
      'lost-silent',
      'of a job that is somebody else\u2019s nothing is said',
      'removed',
      by(OUTCOME, 'does not blame the job for an interruption'),
    ],
    [
      'postpone-bound',
      'a job is not postponed for ever',
      'never',
      by(OUTCOME, 'postpones up to the bound and then hands back'),
    ],
    [
      'summary-text',
      'no sentence stands in the queue',
      { is: 'const isSentence = () => false;' },
      by(OUTCOME, 'keeps counts and ids of a summary, not sentences'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/safe-error.ts', [
    [
      'error-message',
      'no message of an error reaches the queue',
      { is: 'return error.message;' },
      by(SAFE, 'lets no text through, whatever is thrown'),
    ],
    [
      'error-frames',
      'no line of a message passes for a place in the code',
      'always',
      by(SAFE, 'keeps frames and drops lines of a message that look like frames'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/processor.ts', [
    [
      'stopping-untouched',
      'no job begins while its worker stops',
      'removed',
      by('packages/queue/src/worker.test.ts', 'does not start while the worker stops'),
    ],
    [
      'not-ours',
      'a job that is somebody else\u2019s is left alone',
      'removed',
      by('packages/queue/src/worker.test.ts', 'says nothing about a job that is no longer ours'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/payload.ts', [
    [
      'payload-unknown',
      'nothing but ids is in a payload',
      'removed',
      by(REDIS, 'refuses a payload that a worker would refuse, and adds nothing'),
    ],
    [
      'payload-queue',
      'a tier stays out of the queue of another one',
      'never',
      by(PAYLOAD, "keeps a tier out of another tier's queue"),
    ],
  ]),
];
