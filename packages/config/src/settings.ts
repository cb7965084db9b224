import { BATCH_SETTINGS } from './batch-settings.ts';
import { BUDGET_SETTINGS } from './budget-settings.ts';
import { EMBEDDER_SETTINGS } from './embedder-settings.ts';
import { OPERATING_SETTINGS } from './operating-settings.ts';
import type { Setting } from './setting.ts';
import { STEP_SETTINGS } from './step-settings.ts';

/**
 * Every environment variable that the processes read, in one list: the reader, the documentation and the deployment files are
 * checked against it. Nothing else in the repository reads the environment.
 */
export const SETTINGS = [
  {
    name: 'DATABASE_URL',
    kind: 'url',
    schemes: ['postgres', 'postgresql'],
    description: 'PostgreSQL with pgvector. Unset: the embedded database in SLOWWAVE_DATA_DIR.',
  },
  {
    name: 'SLOWWAVE_DATA_DIR',
    kind: 'text',
    default: '.slowwave',
    description: 'Folder of the embedded database; one process at a time owns it.',
  },
  {
    name: 'SLOWWAVE_DATABASE_POOL_SIZE',
    kind: 'integer',
    default: '10',
    min: 2,
    max: 200,
    description: 'Connections to PostgreSQL per process.',
  },
  {
    name: 'SLOWWAVE_DATABASE_PREPARED',
    kind: 'choice',
    default: 'on',
    choices: ['on', 'off'],
    description:
      'Whether connections keep prepared statements. Off behind a pooler in transaction mode that keeps none (PgBouncer with max_prepared_statements = 0).',
  },
  {
    name: 'SLOWWAVE_CONNECT_TIMEOUT_SECONDS',
    kind: 'integer',
    default: '30',
    min: 1,
    max: 600,
    description: 'How long a starting process keeps trying to reach the database and the queue, in seconds.',
  },
  {
    name: 'QUEUE_URL',
    kind: 'url',
    schemes: ['redis', 'rediss', 'postgres', 'postgresql'],
    description:
      'Redis or Valkey (redis://, rediss://) or PostgreSQL (postgres://) as the queue. Unset: redis://127.0.0.1:6379 with DATABASE_URL, embedded without.',
  },
  {
    name: 'SLOWWAVE_QUEUE_PREFIX',
    kind: 'text',
    default: 'slowwave',
    description: 'Prefix of the keys in Redis.',
  },
  {
    name: 'SLOWWAVE_MODEL_PROVIDER',
    kind: 'choice',
    default: 'none',
    choices: ['none', 'offline', 'anthropic', 'openai'],
    description:
      'Who fuses: none (steps that need a model are skipped), offline (no language model: joins only what repeats word for word), anthropic, openai (any compatible endpoint).',
  },
  {
    name: 'SLOWWAVE_MODEL',
    kind: 'text',
    description: 'Name of the language model; required for anthropic and openai.',
  },
  { name: 'ANTHROPIC_API_KEY', kind: 'secret', minLength: 8, description: 'Key for the anthropic provider.' },
  {
    name: 'ANTHROPIC_BASE_URL',
    kind: 'url',
    schemes: ['http', 'https'],
    description: 'Another endpoint that speaks the Messages API.',
  },
  {
    name: 'OPENAI_API_KEY',
    kind: 'secret',
    minLength: 1,
    description: 'Key for the openai provider; local servers need none.',
  },
  {
    name: 'OPENAI_BASE_URL',
    kind: 'url',
    schemes: ['http', 'https'],
    description:
      'Base of an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1; required for openai.',
  },
  {
    name: 'SLOWWAVE_MODEL_MAX_TOKENS_FIELD',
    kind: 'choice',
    default: 'max_tokens',
    choices: ['max_tokens', 'max_completion_tokens'],
    description:
      'Under which name an openai endpoint is told the longest answer. A process that meets a refusal tries the other name by itself.',
  },
  {
    name: 'SLOWWAVE_MODEL_TEMPERATURE',
    kind: 'choice',
    default: 'send',
    choices: ['send', 'omit'],
    description:
      'Whether an openai endpoint is sent a temperature. A process that meets a refusal leaves it out by itself.',
  },
  {
    name: 'SLOWWAVE_MODEL_STRUCTURED_OUTPUT',
    kind: 'choice',
    default: 'json_schema',
    choices: ['json_schema', 'json_object', 'none'],
    description:
      'What an openai endpoint can enforce of the form of an answer: its schema, that it is JSON, or nothing. A process that meets a refusal goes one further by itself.',
  },
  {
    name: 'SLOWWAVE_MODEL_TIMEOUT_SECONDS',
    kind: 'integer',
    default: '60',
    min: 1,
    max: 600,
    description: 'Longest wait for one model answer, in seconds.',
  },
  {
    name: 'SLOWWAVE_JUDGE',
    kind: 'choice',
    default: 'on',
    choices: ['on', 'off'],
    description:
      'Whether a language model judges each statement before it takes the place of its sources; off: only word-for-word repetitions are joined. Has a meaning with anthropic and openai.',
  },
  {
    name: 'SLOWWAVE_JUDGE_MODEL',
    kind: 'text',
    description: 'Another model of the same provider as judge. Unset: the one that writes the statements.',
  },
  ...EMBEDDER_SETTINGS,
  {
    name: 'SLOWWAVE_HTTP_HOST',
    kind: 'text',
    default: '127.0.0.1',
    description: 'Address the producer listens on. The embedded service listens on loopback only.',
  },
  {
    name: 'SLOWWAVE_HTTP_PORT',
    kind: 'integer',
    default: '8787',
    min: 0,
    max: 65535,
    description: 'Port of the API and Bull Board; 0 takes a free one.',
  },
  {
    name: 'SLOWWAVE_HTTP_ALLOWED_HOSTS',
    kind: 'list',
    description:
      'Host names under which the service is reached, comma separated; others are refused. Loopback names are always allowed.',
  },
  {
    name: 'SLOWWAVE_TRUST_PROXY',
    kind: 'text',
    default: 'off',
    description:
      'Proxies whose X-Forwarded-For names the caller: their number (1 to 10), or their addresses and networks, comma separated (10.0.0.5, 172.18.0.0/16, loopback, uniquelocal); off: the address of the connection counts.',
  },
  {
    name: 'SLOWWAVE_HTTP_RATE_PER_MINUTE',
    kind: 'integer',
    default: '1200',
    min: 0,
    max: 1000000,
    description:
      'Requests that each token may make in a minute, or each address without one, counted by each producer; 0: no limit.',
  },
  {
    name: 'SLOWWAVE_HTTP_BODY_MAX_KB',
    kind: 'integer',
    default: '1024',
    min: 16,
    max: 102400,
    description:
      'Largest body of a request, in KiB; imports and documents of workspaces have limits of their own.',
  },
  {
    name: 'SLOWWAVE_OPERATOR_TOKEN',
    kind: 'secret',
    minLength: 16,
    description:
      'Token of the operator for the API and Bull Board, 16 characters or more. Embedded: generated and printed when unset.',
  },
  {
    name: 'SLOWWAVE_WORKER_CONCURRENCY',
    kind: 'integer',
    default: '4',
    min: 1,
    max: 100,
    description: 'Users that one worker process takes at the same time, per tier.',
  },
  {
    name: 'SLOWWAVE_WORKER_HEALTH_PORT',
    kind: 'integer',
    default: '8788',
    min: 0,
    max: 65535,
    description: 'Port of a worker process for health checks; 0 takes a free one.',
  },
  {
    name: 'SLOWWAVE_WORKER_HEALTH_HOST',
    kind: 'text',
    default: '127.0.0.1',
    description:
      'Address of a worker process for health checks; 0.0.0.0 when they come from another machine.',
  },
  {
    name: 'SLOWWAVE_LEASE_SECONDS',
    kind: 'integer',
    default: '10',
    min: 5,
    max: 600,
    description: "How long a worker's hold on a user lasts without renewal, in seconds.",
  },
  {
    name: 'SLOWWAVE_STUCK_SECONDS',
    kind: 'integer',
    default: '120',
    min: 0,
    max: 3600,
    description:
      'A worker process whose main thread has not turned for so many seconds ends itself, so that its users are taken over; 0 never.',
  },
  {
    name: 'SLOWWAVE_FUSION_ATTEMPTS',
    kind: 'integer',
    default: '5',
    min: 1,
    max: 20,
    description: 'Attempts of a cluster in the fusions queue before it counts as failed.',
  },
  ...STEP_SETTINGS,
  ...BUDGET_SETTINGS,
  ...BATCH_SETTINGS,
  {
    name: 'SLOWWAVE_TICK_SECONDS',
    kind: 'integer',
    default: '10',
    min: 1,
    max: 3600,
    description: 'How often each tier looks for users who are due, in seconds.',
  },
  {
    name: 'SLOWWAVE_QUEUE_CAP',
    kind: 'integer',
    default: '2000',
    min: 1,
    max: 100000,
    description: 'Most wake-ups that wait in one queue; the rest wait in the database.',
  },
  {
    name: 'SLOWWAVE_MAX_MEMORY_CHARS',
    kind: 'integer',
    default: '32768',
    min: 100,
    max: 1000000,
    description: 'Longest memory that is accepted, in characters.',
  },
  {
    name: 'SLOWWAVE_WORKSPACE_ROOTS',
    kind: 'folders',
    description:
      'Absolute paths, separated as in PATH, below which a worker process may read and write folders of workspaces. Unset: none; the embedded service works in any folder that was registered.',
  },
  {
    name: 'SLOWWAVE_SHUTDOWN_GRACE_SECONDS',
    kind: 'integer',
    default: '25',
    min: 1,
    max: 600,
    description: 'Time a stopping process has to finish the current cluster, in seconds.',
  },
  {
    name: 'SLOWWAVE_LOG_LEVEL',
    kind: 'choice',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    description: 'Least severe level that is logged.',
  },
  ...OPERATING_SETTINGS,
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];
