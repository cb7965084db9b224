import type { Config } from '@slowwave/config';
import {
  type Database,
  listEmbeddingModels,
  loginRights,
  missingRoles,
  readJudgeExam,
  readMigrationState,
  type ServerFacts,
  serverFacts,
  unguardedTables,
} from '@slowwave/db';
import { EXAM_REQUESTS } from '@slowwave/fusion';
import { createModels } from '@slowwave/models';
import { type Check, type Finding, fail, ok, skipped, warn } from './check.ts';
import type { Subject } from './subject.ts';

/** Nothing older is tested. */
const LEAST_POSTGRES = 150_000;
const LEAST_VECTOR = [0, 5] as const;
const SKEW_WARN_MS = 1_000;
const SKEW_FAIL_MS = 10_000;

export interface DatabaseChecksOptions {
  config: Config;
  subject: Subject;
  /** Epoch ms; the clock of this process. */
  now: () => number;
  /** Whether an endpoint may be asked for a vector. Default false. */
  ask?: boolean;
}

function versionFinding({ version, versionNumber }: ServerFacts): Finding {
  if (versionNumber >= LEAST_POSTGRES) return ok(`PostgreSQL ${version}`);
  return warn(
    `PostgreSQL ${version} is older than any that is tested`,
    'move the data to PostgreSQL 15 or newer',
  );
}

function vectorFinding({ vectorInstalled, vectorAvailable }: ServerFacts): Finding {
  const found = vectorInstalled ?? vectorAvailable;
  if (found === null) {
    return fail(
      'the server has no pgvector',
      'install the package postgresql-NN-pgvector of the same PostgreSQL version there, or use an image that has it, such as pgvector/pgvector',
    );
  }
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_VECTOR;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    const least = LEAST_VECTOR.join('.');
    return warn(
      `pgvector ${found} is older than any that is tested`,
      `install ${least} or newer, then ALTER EXTENSION vector UPDATE`,
    );
  }
  if (vectorInstalled === null) return ok(`pgvector ${found} is there; the first migration makes use of it`);
  return ok(`pgvector ${vectorInstalled}`);
}

/** How far two clocks are apart. Leases go by the clock of the database, due times by that of each process. */
export function skewFinding(whose: string, theirs: number, ours: { before: number; after: number }): Finding {
  const middle = (ours.before + ours.after) / 2;
  // What the round trip took cannot be told from skew.
  const skew = Math.max(0, Math.abs(theirs - middle) - (ours.after - ours.before) / 2);
  const said = `the clock of ${whose} and that of this machine are ${(skew / 1000).toFixed(1)} s apart`;
  const action = 'let NTP set both clocks (timedatectl, chronyc tracking)';
  if (skew >= SKEW_FAIL_MS) return fail(said, action);
  return skew >= SKEW_WARN_MS
    ? warn(said, action)
    : ok(`the clock of ${whose} agrees with that of this machine`);
}

async function migrationsFinding(database: Database): Promise<Finding> {
  const { applied, known, pending, foreign } = await readMigrationState(database);
  if (foreign !== null) {
    return fail(
      `the database was migrated by another version (${foreign} is not known here)`,
      'run the version of Slowwave that migrated it, or a newer one',
    );
  }
  if (applied === 0) {
    return warn('nothing was migrated yet', 'slowwave migrate does it, as does the start of any process');
  }
  return pending.length === 0
    ? ok(`all ${known} migrations were run`)
    : fail(
        `${pending.length} of ${known} migrations were not run (from ${pending[0]})`,
        'slowwave migrate runs them, as does the start of any process of this version',
      );
}

async function rolesFinding(database: Database): Promise<Finding> {
  const [missing, unguarded] = await database.asOwner(async (tx) => [
    await missingRoles(tx),
    await unguardedTables(tx),
  ]);
  if (missing.length > 0) {
    return fail(
      `the login of DATABASE_URL cannot step into ${missing.join(' and ')}`,
      `as a superuser: GRANT ${missing.join(', ')} TO the login; or run slowwave migrate with a login that may create roles`,
    );
  }
  if (unguarded.length > 0) {
    return fail(
      `row-level security is off on ${unguarded.join(', ')}: tenants are not kept apart there`,
      `ALTER TABLE slowwave.… ENABLE ROW LEVEL SECURITY, and FORCE ROW LEVEL SECURITY, on each`,
    );
  }
  return ok('both roles can be used, and row-level security guards every table');
}

/** The embedded database has one login, in this process. */
async function loginFinding(database: Database): Promise<Finding> {
  if (database.kind !== 'server') return ok('within this process');
  const { superuser, bypassesRowSecurity, ownsTables } = await database.asOwner((tx) => loginRights(tx));
  const action =
    'give the producer and the workers a login that owns nothing (ops/postgres/logins.sql makes one), and keep this one for slowwave migrate';
  if (superuser || bypassesRowSecurity) {
    const what = superuser ? 'is a superuser' : 'may set row-level security aside';
    return warn(`the login of DATABASE_URL ${what}: it sees all tenants`, action);
  }
  return ownsTables
    ? warn('the login of DATABASE_URL owns the tables: it may alter and drop them', action)
    : ok('the login of DATABASE_URL is no superuser and owns no table');
}

/** @param options.ask the embedder of an endpoint is asked for one vector, whose length nothing else tells */
async function embeddingFinding(
  config: Config,
  database: Database,
  options: { ask: boolean },
): Promise<Finding> {
  const isRemote = config.embedder.embedder === 'openai';
  const { embedder } = createModels({ ...config });
  // A failure is what the check of the embedder tells.
  if (options.ask && isRemote) await embedder.embed(['slowwave']).catch(() => []);
  const { model, dimensions } = embedder;
  const stored = await database.withTenant('', (tx) => listEmbeddingModels(tx));
  if (stored.length === 0) return ok('no vector is stored yet');
  const same = stored.find((each) => each.model === model);
  if (!same) {
    return warn(
      `no vector of the model ${model} is stored, but of ${stored.map((each) => each.model).join(', ')}`,
      'the light tier makes them anew as it goes; if that is not meant, set the embedder back',
    );
  }
  if (dimensions !== null && dimensions !== same.dimensions) {
    return fail(
      `the embedder gives vectors of ${dimensions} dimensions, and those of ${model} are stored with ${same.dimensions}`,
      isRemote
        ? `set SLOWWAVE_EMBEDDING_DIMENSIONS to ${dimensions}: the light tier then makes them anew as it goes`
        : `set SLOWWAVE_EMBEDDING_DIMENSIONS to ${same.dimensions}, or give the other length a model name of its own`,
    );
  }
  return ok(`vectors of ${model} have ${same.dimensions} dimensions`);
}

async function judgeFinding({ judge, model, steps }: Config, database: Database): Promise<Finding> {
  if (judge === null || model.provider === 'none' || model.provider === 'offline')
    return ok('no language model is configured: there are no statements to judge');
  if (!judge.on) return ok('SLOWWAVE_JUDGE is off: only repetitions are joined');
  const name = judge.model ?? steps.nrem.model ?? model.model;
  const exam = await database.asDispatcher((tx) => readJudgeExam(tx, name));
  if (exam === null) {
    return warn(
      `${name} was not examined as a judge: every statement needs two votes`,
      `slowwave judge check puts it through the exam, with ${EXAM_REQUESTS} requests`,
    );
  }
  const told = `${exam.goodAccepted} of ${exam.good} good statements accepted, ${exam.unsafeAccepted} of ${exam.unsafe} unsafe ones`;
  return exam.passed
    ? ok(`${name} passed its exam as a judge: ${told}`)
    : fail(
        `${name} failed its exam as a judge (${told}): nothing but repetitions is joined`,
        'name another model with SLOWWAVE_JUDGE_MODEL, and run slowwave judge check',
      );
}

const NAMES = [
  'database-version',
  'pgvector',
  'migrations',
  'roles',
  'login',
  'clock',
  'embedding',
  'judge',
] as const;

/** What can be said of the database without changing anything in it. */
export function databaseChecks({ config, subject, now, ask = false }: DatabaseChecksOptions): Check[] {
  const reach: Check = { name: 'database', look: async () => reachFinding(subject) };
  if (subject.kind !== 'open') {
    const why = subject.kind === 'failed' ? 'the database cannot be used' : reachWord(subject);
    return [reach, ...NAMES.map((name) => ({ name, look: async () => skipped(`not looked at: ${why}`) }))];
  }
  const { database } = subject;
  const facts = () => database.asOwner((tx) => serverFacts(tx));
  const migrated = async (look: () => Promise<Finding>): Promise<Finding> => {
    const { applied, pending } = await readMigrationState(database);
    return applied > 0 && pending.length === 0
      ? look()
      : skipped('not looked at: the schema is not up to date');
  };
  const looks: Record<(typeof NAMES)[number], () => Promise<Finding>> = {
    'database-version': async () => versionFinding(await facts()),
    pgvector: async () => vectorFinding(await facts()),
    migrations: () => migrationsFinding(database),
    roles: () => migrated(() => rolesFinding(database)),
    login: () => migrated(() => loginFinding(database)),
    async clock() {
      const before = now();
      const { at } = await facts();
      return skewFinding('the database', at, { before, after: now() });
    },
    embedding: () => migrated(() => embeddingFinding(config, database, { ask })),
    judge: () => migrated(() => judgeFinding(config, database)),
  };
  return [reach, ...NAMES.map((name) => ({ name, look: looks[name] }))];
}

function reachWord(subject: Subject): string {
  switch (subject.kind) {
    case 'served':
      return 'the running service answers for it';
    case 'busy':
      return `process ${subject.owner.pid} has the folder`;
    default:
      return 'nothing is stored yet';
  }
}

function reachFinding(subject: Subject): Finding {
  switch (subject.kind) {
    case 'open':
      return ok(subject.database.kind === 'server' ? 'PostgreSQL answers' : 'the embedded database opens');
    case 'served':
      return ok(
        subject.pid === null
          ? `asked at ${subject.url}`
          : `process ${subject.pid} serves it at ${subject.url}`,
      );
    case 'busy':
      return warn(
        `process ${subject.owner.pid} has the data folder, and does not serve it`,
        'wait for that command to end, then run doctor again',
      );
    case 'none':
      return ok(`nothing is stored in ${subject.dataDir} yet; the first command makes the database`);
    case 'failed':
      return fail(subject.cause, 'mend this first: nothing works without its database');
  }
}
