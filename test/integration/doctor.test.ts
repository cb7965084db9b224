import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, readConfig } from '@slowwave/config';
import { migrate, migrationsFolder, openServer, storeJudgeExam } from '@slowwave/db';
import { EXAM_VERSION, TIERS } from '@slowwave/fusion';
import { createModels } from '@slowwave/models';
import { connectQueues } from '@slowwave/queue';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCheck } from '../../apps/standalone/src/doctor/check.ts';
import { databaseChecks } from '../../apps/standalone/src/doctor/database-checks.ts';
import { type Diagnosis, type DoctorOptions, examine } from '../../apps/standalone/src/doctor/doctor.ts';
import { doctorCommand } from '../../apps/standalone/src/doctor-command.ts';
import { createDatabase, type DrizzleLike, enteringOver } from '../../packages/db/src/database.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import { EMBEDDINGS_PATH, startOpenAiServer } from '../fakes/openai-server.ts';
import { type DatabaseFixture, emptyServerDatabase, serverFixture } from '../fixtures/databases.ts';
import { openWithoutVectors } from '../fixtures/in-memory.ts';
import { privateRedis } from '../fixtures/private-redis.ts';
import { addUsers } from '../producer/harness.ts';

const SECRET = 'walrus-in-the-password';
const KEY = `sk-ant-${'k'.repeat(30)}`;

let fixture: DatabaseFixture;
let redis: Awaited<ReturnType<typeof privateRedis>>;
let admin: Redis;
let folder: string;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [fixture, redis] = await Promise.all([serverFixture({ poolSize: 2 }), privateRedis()]);
  admin = new Redis(redis.url);
  folder = await mkdtemp(path.join(tmpdir(), 'slowwave doctor '));
  const queues = await connectQueues({ kind: 'redis', url: redis.url });
  for (const tier of TIERS) await queues.ensureTick(tier, 30_000);
  await queues.close();
});
afterAll(async () => {
  for (const close of opened) await close();
  await admin?.quit();
  await redis?.stop();
  await fixture?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A set-up in which nothing is wrong, but for what a test breaks. */
const healthy = (more: Environment = {}): Environment => ({
  DATABASE_URL: fixture.url!,
  QUEUE_URL: redis.url,
  SLOWWAVE_HTTP_PORT: '0',
  SLOWWAVE_OPERATOR_TOKEN: 'f7Kq2Zx9Lm4Tn8Vb3Rw6Yc1Hd5Js0Pg',
  SLOWWAVE_MODEL_PROVIDER: 'offline',
  ...more,
});

const diagnose = (environment: Environment, more: Partial<DoctorOptions> = {}): Promise<Diagnosis> =>
  examine({
    environment,
    remote: null,
    askModel: false,
    now: Date.now,
    nodeVersion: '24.1.0',
    limitMs: 60_000,
    ...more,
  });

const resultOf = ({ checks }: Diagnosis, name: string) => checks.find(({ check }) => check === name);

/** The one check that fails, and that says what is wrong and what to do; the others go on. */
function expectFailure(diagnosis: Diagnosis, name: string, cause: RegExp, action: RegExp): void {
  expect(resultOf(diagnosis, name)).toMatchObject({
    verdict: 'fail',
    cause: expect.stringMatching(cause),
    action: expect.stringMatching(action),
  });
  expect(diagnosis.verdict).toBe('fail');
  expect(diagnosis.checks.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['node', 'disk', 'model']),
  );
  expect(JSON.stringify(diagnosis)).not.toContain(SECRET);
}

async function listening(answer: (server: Server) => void = () => {}): Promise<number> {
  const server = createServer();
  answer(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  opened.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

describe('doctor', () => {
  it('finds nothing in a healthy set-up, and ends with 0', async () => {
    const diagnosis = await diagnose(healthy());
    const bad = diagnosis.checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'skipped');
    expect(bad).toEqual([]);
    // The servers of the tests have one login, which made everything.
    expect(resultOf(diagnosis, 'login')).toMatchObject({
      verdict: 'warn',
      cause: expect.stringMatching(/is a superuser|owns the tables/),
      action: expect.stringContaining('ops/postgres/logins.sql'),
    });
    const lines: string[] = [];
    const terminal = {
      line: (text = '') => void lines.push(text),
      error: () => {},
      progress: () => {},
      clear: () => {},
      columns: null,
      bold: (text: string) => text,
      dim: (text: string) => text,
    };
    const options = {
      environment: healthy(),
      remote: null,
      askModel: false,
      now: Date.now,
      nodeVersion: '24.1.0',
    };
    expect(await doctorCommand(terminal, options, { json: false })).toBe(0);
    expect(lines.length).toBeGreaterThanOrEqual(diagnosis.checks.length);
    const old = { ...options, nodeVersion: '18.19.0' };
    lines.length = 0;
    expect(await doctorCommand(terminal, old, { json: true })).toBe(1);
    const told = JSON.parse(lines.join('\n')) as Diagnosis;
    expect(told.verdict).toBe('fail');
    expect(resultOf(told, 'node')).toMatchObject({
      verdict: 'fail',
      action: expect.stringContaining('22 or 24'),
    });
    lines.length = 0;
    await doctorCommand(terminal, { ...options, nodeVersion: '20.20.2' }, { json: true });
    const ended = JSON.parse(lines.join('\n')) as Diagnosis;
    expect(resultOf(ended, 'node')).toMatchObject({
      verdict: 'warn',
      action: expect.stringContaining('22 or 24'),
    });
  });

  it('invalid settings, all of them, and goes on with the others', async () => {
    const diagnosis = await diagnose(
      healthy({ SLOWWAVE_TICKSECONDS: '5', SLOWWAVE_WORKER_CONCURRENCY: 'many' }),
    );
    expectFailure(
      diagnosis,
      'configuration',
      /2 mistakes: .*CONCURRENCY.*TICKSECONDS.*did you mean/,
      /correct/,
    );
    expect(resultOf(diagnosis, 'database')).toMatchObject({ verdict: 'ok' });
  });

  it('a login that the database refuses', async () => {
    const url = new URL(fixture.url!);
    url.username = 'nobody_of_that_name';
    url.password = SECRET;
    const diagnosis = await diagnose(healthy({ DATABASE_URL: url.toString() }));
    expectFailure(
      diagnosis,
      'database',
      /login was refused; check user and password in DATABASE_URL/,
      /mend/,
    );
    expect(resultOf(diagnosis, 'migrations')).toMatchObject({ verdict: 'skipped' });
    expect(resultOf(diagnosis, 'queue')).toMatchObject({ verdict: 'ok' });
  });

  it('a database server that is not there, and one that never answers', async () => {
    const gone = await diagnose(healthy({ DATABASE_URL: `postgres://u:${SECRET}@127.0.0.1:1/x` }));
    expectFailure(gone, 'database', /cannot use PostgreSQL at 127\.0\.0\.1:1\/x/, /mend/);
    const port = await listening();
    const silent = await diagnose(healthy({ DATABASE_URL: `postgres://u:${SECRET}@127.0.0.1:${port}/x` }));
    expectFailure(silent, 'database', /gave up after 3 s/, /mend/);
  });

  it('a database that does not exist', async () => {
    const url = new URL(fixture.url!);
    url.pathname = '/no_such_database';
    const diagnosis = await diagnose(healthy({ DATABASE_URL: url.toString() }));
    expectFailure(diagnosis, 'database', /does not exist; create it/, /mend/);
  });

  it('a PostgreSQL without pgvector', async () => {
    const pglite = await openWithoutVectors();
    opened.push(() => pglite.close());
    const database = createDatabase({
      kind: 'server',
      inTransaction: enteringOver(drizzle(pglite) as unknown as DrizzleLike),
      pool: null,
      pglite: null,
      close: () => pglite.close(),
    });
    const config = readConfig(healthy());
    const subject = { kind: 'open' as const, database, close: async () => {} };
    const check = databaseChecks({ config, subject, now: Date.now }).find(({ name }) => name === 'pgvector')!;
    expect(await runCheck(check, 60_000)).toMatchObject({
      verdict: 'fail',
      cause: 'the server has no pgvector',
      action: expect.stringContaining('postgresql-NN-pgvector'),
    });
  });

  it('migrations that were not run, and a database of a newer version', async () => {
    const { url, drop } = await emptyServerDatabase();
    opened.push(drop);
    const fresh = await diagnose(healthy({ DATABASE_URL: url }));
    expect(resultOf(fresh, 'migrations')).toMatchObject({
      verdict: 'warn',
      action: expect.stringContaining('slowwave migrate'),
    });
    const old = path.join(folder, 'old');
    await cp(migrationsFolder, old, { recursive: true });
    const journal = path.join(old, 'meta/_journal.json');
    const { entries, ...rest } = JSON.parse(await readFile(journal, 'utf8')) as { entries: unknown[] };
    await writeFile(journal, JSON.stringify({ ...rest, entries: entries.slice(0, 6) }));
    const database = await openServer({ url, poolSize: 2, connectTimeoutMs: 60_000 });
    await migrate(database, pathToFileURL(`${old}/`));
    const diagnosis = await diagnose(healthy({ DATABASE_URL: url }));
    expectFailure(
      diagnosis,
      'migrations',
      new RegExp(`${entries.length - 6} of ${entries.length} migrations`),
      /slowwave migrate/,
    );
    expect(resultOf(diagnosis, 'overdue')).toMatchObject({ verdict: 'skipped' });
    await database.asOwner((tx) =>
      tx.rows(sql`insert into slowwave.migrations values (900, '0900_future', 'x')`),
    );
    await database.close();
    expectFailure(
      await diagnose(healthy({ DATABASE_URL: url })),
      'migrations',
      /another version \(0900_future/,
      /newer/,
    );
  });

  it('row-level security that somebody switched off', async () => {
    const own = await serverFixture({ poolSize: 2 });
    opened.push(() => own.drop());
    await own.database.asOwner((tx) =>
      tx.rows(sql`alter table slowwave.memories disable row level security`),
    );
    const diagnosis = await diagnose(healthy({ DATABASE_URL: own.url! }));
    expectFailure(diagnosis, 'roles', /row-level security is off on memories/, /ENABLE ROW LEVEL SECURITY/);
  });

  it('clocks that disagree', async () => {
    const diagnosis = await diagnose(healthy(), { now: () => Date.now() + 600_000 });
    expectFailure(diagnosis, 'clock', /clock of the database .* (?:59|60)\d\.\d s apart/, /NTP/);
    expect(resultOf(diagnosis, 'queue-clock')).toMatchObject({ verdict: 'fail' });
  });

  it('a queue that cannot be reached', async () => {
    const diagnosis = await diagnose(healthy({ QUEUE_URL: `redis://:${SECRET}@127.0.0.1:1` }));
    expectFailure(diagnosis, 'queue', /redis queue at 127\.0\.0\.1:1 is unavailable/, /QUEUE_URL/);
    expect(resultOf(diagnosis, 'schedulers')).toMatchObject({ verdict: 'skipped' });
  });

  it('a queue that drops jobs when it is full, and one that forgets them', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await admin.config('SET', 'save', '');
    await admin.config('SET', 'appendonly', 'no');
    const diagnosis = await diagnose(healthy());
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    expectFailure(diagnosis, 'queue-eviction', /allkeys-lru: a full server would drop jobs/, /noeviction/);
    expect(resultOf(diagnosis, 'queue-persistence')).toMatchObject({ verdict: 'warn' });
  });

  it('schedules that nobody keeps', async () => {
    const diagnosis = await diagnose(healthy({ SLOWWAVE_QUEUE_PREFIX: 'another' }));
    expectFailure(diagnosis, 'schedulers', /nobody has scheduled light, deep, sleep/, /producer/);
    const later = await diagnose(healthy(), { now: () => Date.now() + 600_000 });
    expect(resultOf(later, 'schedulers')).toMatchObject({
      verdict: 'fail',
      cause: expect.stringMatching(/\d+ min ago: the producer does not tick/),
    });
  });

  it('keys that cannot be right, and one that the endpoint refuses', async () => {
    const model = { SLOWWAVE_MODEL_PROVIDER: 'anthropic', SLOWWAVE_MODEL: 'm' };
    const shape = await diagnose(healthy({ ...model, ANTHROPIC_API_KEY: SECRET }));
    expectFailure(
      shape,
      'model',
      /ANTHROPIC_API_KEY does not look like one: they begin with sk-ant-/,
      /valid key/,
    );
    const budget = await diagnose(
      healthy({ ...model, ANTHROPIC_API_KEY: KEY, SLOWWAVE_BUDGET_TENANT_DAY_DOLLARS: '1' }),
    );
    expectFailure(budget, 'model', /nobody knows the price of m/, /SLOWWAVE_MODEL_PRICES/);
    const quoted = await diagnose(healthy({ ...model, ANTHROPIC_API_KEY: `"${KEY}"` }));
    expect(resultOf(quoted, 'model')).toMatchObject({ cause: expect.stringContaining('quotation mark') });
    const curly = await diagnose(healthy({ ...model, ANTHROPIC_API_KEY: `\u201c${SECRET}\u201d` }));
    expectFailure(
      curly,
      'configuration',
      /ANTHROPIC_API_KEY: holds a character that no header can carry/,
      /correct/,
    );
    const endpoint = await startMessagesServer({ kind: 'error', status: 401, echo: true });
    opened.push(() => endpoint.stop());
    const asked = { ...model, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: endpoint.url };
    expect(resultOf(await diagnose(healthy(asked)), 'model')).toMatchObject({ verdict: 'ok' });
    expect(endpoint.calls).toHaveLength(0);
    const refused = await diagnose(healthy(asked), { askModel: true });
    expectFailure(refused, 'model', /refuses the key \(auth, status 401\)/, /ANTHROPIC_API_KEY/);
    expect(JSON.stringify(refused)).not.toContain(KEY);
  });

  it('budgets that are all switched off, and one that forbids every call', async () => {
    const model = {
      SLOWWAVE_MODEL_PROVIDER: 'openai',
      SLOWWAVE_MODEL: 'm',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    };
    const budgetsOf = async (more: Environment) =>
      resultOf(await diagnose(healthy({ ...model, ...more })), 'budgets');
    expect(await budgetsOf({})).toMatchObject({
      verdict: 'ok',
      cause: "at most a user's night 150,000 tokens, a user's day 400,000 tokens",
    });
    const none = {
      SLOWWAVE_BUDGET_USER_NIGHT_TOKENS: 'none',
      SLOWWAVE_BUDGET_USER_DAY_TOKENS: 'none',
    };
    expect(await budgetsOf(none)).toMatchObject({
      verdict: 'warn',
      cause: expect.stringContaining('every budget is switched off'),
    });
    expect(await budgetsOf({ SLOWWAVE_BUDGET_USER_DAY_TOKENS: '0' })).toMatchObject({
      verdict: 'warn',
      cause: "the budget of a user's day is 0: no model is asked",
      action: 'raise SLOWWAVE_BUDGET_USER_DAY_TOKENS, or say none',
    });
    const wrong = await diagnose(healthy({ ...model, SLOWWAVE_BUDGET_USER_DAY_TOKENS: 'a lot' }));
    expect(resultOf(wrong, 'configuration')).toMatchObject({
      cause: expect.stringContaining('SLOWWAVE_BUDGET_USER_DAY_TOKENS: expected a whole number'),
    });
  });

  it('folders that cannot be written, and a disk without room', async () => {
    const { DATABASE_URL: _, QUEUE_URL: __, ...embedded } = healthy();
    const inProc = await diagnose({ ...embedded, SLOWWAVE_DATA_DIR: '/proc/slowwave' });
    expectFailure(inProc, 'folders', /\/proc\/slowwave cannot be written \(E[A-Z]+\)/, /SLOWWAVE_DATA_DIR/);
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const inFile = await diagnose({ ...embedded, SLOWWAVE_DATA_DIR: path.join(file, 'data') });
    expectFailure(inFile, 'folders', /file is a file/, /SLOWWAVE_DATA_DIR/);
    const roots = await diagnose(healthy({ SLOWWAVE_WORKSPACE_ROOTS: path.join(folder, 'nothing') }));
    expectFailure(roots, 'folders', /nothing of SLOWWAVE_WORKSPACE_ROOTS is no folder/, /mount/);
    const data = { ...embedded, SLOWWAVE_DATA_DIR: path.join(folder, 'data') };
    const full = await diagnose(data, { freeBytes: async () => 50 * 1024 ** 2 });
    expectFailure(full, 'disk', /0\.0 GiB free/, /make room/);
    const none = await diagnose(data);
    expect(resultOf(none, 'database')).toMatchObject({
      verdict: 'ok',
      cause: expect.stringContaining('nothing is stored'),
    });
  });

  it('a port that another program has', async () => {
    const port = await listening((server) => server.on('connection', (socket) => socket.end('hello\n')));
    const diagnosis = await diagnose(healthy({ SLOWWAVE_HTTP_PORT: String(port) }));
    expectFailure(diagnosis, 'port', /is taken by another program/, /SLOWWAVE_HTTP_PORT/);
  });

  it('tokens that can be guessed', async () => {
    const same = await diagnose(healthy({ SLOWWAVE_OPERATOR_TOKEN: 'a'.repeat(40) }));
    expect(resultOf(same, 'token')).toMatchObject({
      verdict: 'warn',
      cause: expect.stringContaining('guessed'),
    });
    const short = await diagnose(healthy({ SLOWWAVE_OPERATOR_TOKEN: 'abcdefghijklmnop' }));
    expect(resultOf(short, 'token')).toMatchObject({
      verdict: 'warn',
      cause: expect.stringContaining('16 characters'),
    });
    expect(JSON.stringify(short)).not.toContain('abcdefghijklmnop');
  });

  it('an embedder whose vectors have another length than those stored', async () => {
    const own = await serverFixture({ poolSize: 2 });
    opened.push(() => own.drop());
    const environment = healthy({ DATABASE_URL: own.url! });
    const { model, dimensions } = createModels({ ...readConfig(environment) }).embedder;
    await own.database.asOwner((tx) =>
      tx.rows(sql`insert into slowwave.embedding_models values (${model}, ${dimensions! + 1})`),
    );
    const diagnosis = await diagnose(environment);
    expectFailure(
      diagnosis,
      'embedding',
      new RegExp(`${dimensions} dimensions.*stored with ${dimensions! + 1}`),
      /DIMENSIONS/,
    );
  });

  it('an endpoint that gives vectors of another size under the same name: says which setting embeds anew', async () => {
    const own = await serverFixture({ poolSize: 2 });
    const endpoint = await startOpenAiServer();
    opened.push(() => own.drop(), endpoint.stop);
    const environment = healthy({
      DATABASE_URL: own.url!,
      SLOWWAVE_EMBEDDER: 'openai',
      SLOWWAVE_EMBEDDING_MODEL: 'emb',
      SLOWWAVE_EMBEDDING_BASE_URL: `${endpoint.url}/v1`,
    });
    await own.database.asOwner((tx) => tx.rows(sql`insert into slowwave.embedding_models values ('emb', 7)`));
    expect(resultOf(await diagnose(environment), 'embedding')).toMatchObject({ verdict: 'ok' });
    expect(endpoint.calls).toEqual([]);
    const asked = await diagnose(environment, { askModel: true });
    expect(resultOf(asked, 'embedder')).toMatchObject({ cause: 'emb gives vectors of 8 dimensions' });
    expectFailure(asked, 'embedding', /8 dimensions.*stored with 7/, /DIMENSIONS to 8: .* anew/);
    const anew = await diagnose({ ...environment, SLOWWAVE_EMBEDDING_DIMENSIONS: '8' }, { askModel: true });
    expect(resultOf(anew, 'embedding')).toMatchObject({
      verdict: 'warn',
      cause: 'no vector of the model emb@8 is stored, but of emb',
    });
    endpoint.use({ kind: 'error', status: 401 }, EMBEDDINGS_PATH);
    const refused = await diagnose(environment, { askModel: true });
    expectFailure(refused, 'embedder', /cannot be asked: .* auth/, /OPENAI_API_KEY/);
  });

  it('a judge that was not examined, and one that failed', async () => {
    const own = await serverFixture({ poolSize: 2 });
    opened.push(() => own.drop());
    const environment = healthy({
      DATABASE_URL: own.url!,
      SLOWWAVE_MODEL_PROVIDER: 'openai',
      SLOWWAVE_MODEL: 'm',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    });
    const finding = async () => resultOf(await diagnose(environment), 'judge');
    expect(await finding()).toMatchObject({
      verdict: 'warn',
      cause: expect.stringContaining('not examined'),
    });
    const result = {
      version: EXAM_VERSION,
      passed: false,
      good: 10,
      goodAccepted: 9,
      unsafe: 10,
      unsafeAccepted: 1,
      wrong: [],
    };
    await own.database.asDispatcher((tx) => storeJudgeExam(tx, { model: 'm', result, at: 0 }));
    expect(await finding()).toMatchObject({
      verdict: 'fail',
      cause: expect.stringContaining('1 of 10 unsafe'),
    });
    const passed = { ...result, passed: true, unsafeAccepted: 0 };
    await own.database.asDispatcher((tx) => storeJudgeExam(tx, { model: 'm', result: passed, at: 0 }));
    expect(await finding()).toMatchObject({ verdict: 'ok' });
  });

  it('users who wait too long, and users in quarantine', async () => {
    const own = await serverFixture({ poolSize: 2 });
    opened.push(() => own.drop());
    await addUsers(own.database, 'default', ['ana', 'ben', 'cy']);
    await own.database.withTenant('default', async (tx) => {
      await tx.rows(
        sql`update slowwave.user_tiers set due_at = now() - interval '1 day' where user_id <> 'cy' and tier = 'deep'`,
      );
      await tx.rows(
        sql`update slowwave.user_tiers set quarantined_at = now(), quarantine_code = 'auth' where user_id = 'cy' and tier = 'light'`,
      );
    });
    const diagnosis = await diagnose(healthy({ DATABASE_URL: own.url! }));
    expectFailure(diagnosis, 'overdue', /deep 2/, /scale-out/);
    expect(resultOf(diagnosis, 'quarantine')).toMatchObject({
      verdict: 'warn',
      cause: 'in quarantine: light 1',
      action: expect.stringContaining('slowwave release'),
    });
    expect(JSON.stringify(diagnosis)).not.toMatch(/ana|ben/);
  });

  it('fusions that failed for good', async () => {
    const queues = await connectQueues({ kind: 'redis', url: redis.url, prefix: 'failed' });
    for (const tier of TIERS) await queues.ensureTick(tier, 30_000);
    await queues.queues.fusions.add('fusion', { v: 1 }, { attempts: 1 });
    const worker = queues.createWorker('fusions', async () => {
      throw new Error('never');
    });
    await expect.poll(async () => (await queues.counts('fusions')).failed).toBe(1);
    await worker.close();
    await queues.close();
    const diagnosis = await diagnose(healthy({ SLOWWAVE_QUEUE_PREFIX: 'failed' }));
    expect(resultOf(diagnosis, 'fusions')).toMatchObject({
      verdict: 'warn',
      cause: '1 fusion failed for good',
      action: expect.stringContaining('/board'),
    });
  });

  it('a service that does not answer, or is none', async () => {
    const nobody = await diagnose({}, { remote: { url: 'http://127.0.0.1:1', token: null } });
    expect(resultOf(nobody, 'service')).toMatchObject({
      verdict: 'fail',
      action: expect.stringContaining('address'),
    });
    expect(resultOf(nobody, 'overdue')).toMatchObject({ verdict: 'skipped' });
  });
});
