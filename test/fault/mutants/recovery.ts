import { at, by, mutantsIn } from './table.ts';

const OUTCOME = 'packages/queue/src/outcome.test.ts';
const EMBEDDED = 'test/queue/embedded.test.ts';
const REDIS = 'test/queue/redis.test.ts';
const SILENT = 'test/fault/silent-queue.test.ts';
const CONNECTIONS = 'test/fault/queue-connections.test.ts';
const FILL = 'test/producer/fill.test.ts';
const LOOK = 'test/db/scheduling/look.test.ts';
const LEASES = 'test/db/scheduling/leases.test.ts';
const SERVICE = 'test/integration/embedded-restart.test.ts';

/** What makes work go on by itself after a crash or an outage. */
export const RECOVERY_MUTANTS = [
  ...mutantsIn('packages/queue/src/outcome.ts', [
    [
      'outage-attempts',
      'an outage of the database uses no attempt',
      'never',
      by(OUTCOME, 'does not blame the job for an outage of the database'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/processor.ts', [
    [
      'stalled-out',
      'a job whose workers ended too often fails without another turn',
      'never',
      by(REDIS, 'tells of a job whose workers ended too often'),
    ],
    [
      'moved-again',
      'a job that could not be moved is moved once the datastore is back',
      at('not-ours', { is: 'throw error;' }),
      by('packages/queue/src/worker.test.ts', 'is moved once the datastore is back'),
    ],
    [
      'moved-for-a-while',
      'a job that cannot be moved is left to its lock after a while',
      'removed',
      by('packages/queue/src/worker.test.ts', 'is left to its lock too when that is renewed'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/worker.ts', [
    [
      'stalled-out-told-first',
      'what becomes of such a job is written down before it is in the failed list',
      'never',
      by(REDIS, 'has told before such a job is in the failed list'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/ticks.ts', [
    [
      'beat-far-ahead',
      'a beat that a wrong clock has put far ahead is set up anew',
      { is: 'const isFarAhead = false;' },
      by(REDIS, 'sets a beat up anew that a clock that was wrong has put far ahead'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/controls.ts', [
    [
      'stalls-forgiven',
      'a job that a person retries has turns again',
      'removed',
      by(REDIS, 'gives a job another turn when a person retries it'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/redis-engine.ts', [
    [
      'silent-redis',
      'a connection to Redis whose other end is gone without a word is given up',
      'removed',
      by(SILENT, 'gone without a word'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/worker.ts', [
    [
      'stop-unanswered',
      'a queue that is told to stop does not wait for a server that is gone without a word',
      { is: 'await finished;' },
      by(SILENT, 'a queue that is told to stop does not wait for it'),
    ],
  ]),
  ...mutantsIn('packages/db/src/open-server.ts', [
    [
      'close-unanswered',
      'a database that is gone without a word is not waited for when it is closed',
      'removed',
      by('test/fault/silent-database.test.ts', 'is not waited for when it is closed'),
    ],
  ]),
  ...mutantsIn('packages/queue/src/postgres-engine.ts', [
    [
      'silent-postgres',
      'a connection of the queue to PostgreSQL whose other end is gone without a word is given up',
      'removed',
      by(SILENT, 'gone without a word'),
    ],
    [
      'silent-listener',
      'a worker of the queue on PostgreSQL whose connection is lost as it begins to listen takes jobs again',
      'removed',
      by(SILENT, 'a worker whose connection is lost as it begins to listen'),
    ],
    [
      'loss-told',
      'a job that is done while its connection is lost is not done again',
      'removed',
      by(CONNECTIONS, 'a job on PostgreSQL that is done while the server is away is done once'),
    ],
    [
      'postgres-look-again',
      'a queue on PostgreSQL that could not be looked at when it was made is looked at again',
      'removed',
      by(CONNECTIONS, 'queues on PostgreSQL that are made while it is away work once it is back'),
    ],
    [
      'embedded-jobs-freed',
      'jobs of the process before do not wait for its locks',
      'removed',
      by(EMBEDDED, 'takes up at once what a process was doing that is gone'),
    ],
  ]),
  ...mutantsIn('apps/standalone/src/open-database.ts', [
    [
      'embedded-leases-expired',
      'users of the process before do not wait for its holds',
      'removed',
      by(SERVICE, 'goes on at once with the user whom the process before held'),
    ],
  ]),
  ...mutantsIn('apps/producer/src/fill.ts', [
    [
      'lost-when-empty',
      'wake-ups that an empty queue has lost are put in again soon',
      'never',
      by(FILL, 'adds again what a crash took out of the queue'),
    ],
    [
      'wiped-queue',
      'wake-ups of a wiped queue are put in again at once',
      'removed',
      by(FILL, 'adds again at once what a wiped queue has lost'),
    ],
  ]),
  ...mutantsIn('packages/db/src/scheduling/due.ts', [
    [
      'left-holds',
      'only holds that ran out without a release are looked for',
      'removed',
      by('test/producer/left-holds.test.ts', 'wakes whoever was left by a worker that is gone'),
    ],
  ]),
  ...mutantsIn('packages/db/src/scheduling/look.ts', [
    [
      'look-holds',
      'a beat sees that somebody was left',
      { is: 'null' },
      by(LOOK, 'sees past those who are worked on'),
    ],
    [
      'look-lost',
      'a beat sees whose wake-up was lost',
      { is: 'requeueAfterMs: 1e12' },
      by(LOOK, 'agrees with what would be taken'),
    ],
  ]),
  ...mutantsIn('packages/db/src/scheduling/leases.ts', [
    [
      'left-run',
      'a run that was left behind under a released hold is found',
      'removed',
      by(LEASES, 'that were released before their run had ended'),
    ],
    [
      'clock-quickest',
      'one slow answer does not count against a clock',
      { is: 'const isQuickest = look === 0;' },
      by(LEASES, 'compare clocks by the quickest of a few answers'),
    ],
  ]),
];
