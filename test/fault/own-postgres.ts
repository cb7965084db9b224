import pg from 'pg';
import { type OwnServer, type Started, startInTurn } from './own-server.ts';

/**
 * - `kill`: SIGKILL to the server and all its processes.
 * - `immediate`: it ends at once and writes nothing more.
 * - `backend`: one of its processes is killed; it ends all sessions, recovers and goes on by itself.
 */
export type PostgresCrash = 'kill' | 'immediate' | 'backend';

export interface Session {
  pid: number;
  database: string;
  /** `active`, `idle`, `idle in transaction` and so on. */
  state: string;
  application: string;
}

export interface OwnPostgres extends OwnServer {
  crash(how?: PostgresCrash): Promise<void>;
  /** On the same folder and port. Resolves when it answers. @param settings stay for later starts */
  start(settings?: Record<string, string>): Promise<void>;
  restart(settings?: Record<string, string>): Promise<void>;
  /** Resolves when it answers. @throws when it does not run, or not soon */
  ready(): Promise<void>;
  /** Those of clients, but for the one that asks. */
  sessions(): Promise<Session[]>;
  /** Ends the sessions that are picked, all of them by default. @returns how many it ended */
  terminateSessions(pick?: (session: Session) => boolean): Promise<number>;
  /** Restarts it. */
  setMaxConnections(count: number): Promise<void>;
  /** Leaves nothing, or so many bytes, on its disk. @throws when it has no disk of its own */
  fillDisk(leaveBytes?: number): Promise<void>;
  freeDisk(): Promise<void>;
}

/**
 * A PostgreSQL with pgvector that nobody else uses: started from programs on this machine, gone with this process at the latest.
 *
 * @param options `diskBytes`: its data stands on a file system of its own, of at most that size, 64 MiB or more; `settings`: of the server
 * @throws when this machine has no such programs or gives no such disk
 */
export async function startOwnPostgres(
  options: { diskBytes?: number; settings?: Record<string, string> } = {},
): Promise<OwnPostgres> {
  const keeper = await startInTurn<Started>('own-postgres.mjs', options);
  const { url, port, description, folder, hasDisk } = keeper.servers;
  const admin = createAdmin(url);

  const stop = async () => {
    await admin.close();
    await keeper.ask('stop');
  };
  const start = async (settings = {}) => void (await keeper.ask('start', settings));
  const restart = async (settings = {}) => {
    if (await keeper.ask('isRunning')) await stop();
    await start(settings);
  };
  const onDisk = async (name: string, given?: number) => {
    if (!hasDisk) throw new Error('this server has no disk of its own');
    await keeper.ask(name, given);
  };
  return {
    url,
    port,
    description,
    folder,
    stop,
    start,
    restart,
    crash: async (how = 'kill') => void (await keeper.ask('crash', how)),
    isRunning: async () => (await keeper.ask('isRunning')) === true,
    ready: async () => void (await keeper.ask('ready')),
    sessions: () => admin.sessions(),
    terminateSessions: (pick = () => true) => admin.terminate(pick),
    setMaxConnections: (count) => restart({ max_connections: String(count) }),
    fillDisk: (leaveBytes = 0) => onDisk('fill', leaveBytes),
    freeDisk: () => onDisk('free'),
    async dispose() {
      await admin.close();
      await keeper.stop();
    },
  };
}

/** A session that stays open, so that it still has a place when there is none for a new one. */
function createAdmin(url: string) {
  let client: pg.Client | null = null;

  async function connected(): Promise<pg.Client> {
    if (client) return client;
    const next = new pg.Client({ connectionString: url, application_name: 'slowwave-fault-admin' });
    const forget = () => {
      if (client === next) client = null;
    };
    next.on('error', forget);
    next.on('end', forget);
    await next.connect();
    client = next;
    return next;
  }

  async function sessions(): Promise<Session[]> {
    const { rows } = await (await connected()).query<Session>(`
      select pid, coalesce(datname, '') as database, coalesce(state, '') as state, application_name as application
      from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`);
    return rows;
  }

  return {
    sessions,
    async terminate(pick: (session: Session) => boolean): Promise<number> {
      const pids = (await sessions()).filter(pick).map(({ pid }) => pid);
      const { rows } = await (await connected()).query<{ ended: number }>(
        'select count(*)::int as ended from unnest($1::int[]) as pid where pg_terminate_backend(pid)',
        [pids],
      );
      return rows[0]?.ended ?? 0;
    },
    async close() {
      await client?.end().catch(() => {});
      client = null;
    },
  };
}
