import { Redis } from 'ioredis';
import { type OwnServer, type Started, startInTurn } from './own-server.ts';

export interface OwnRedis extends OwnServer {
  /** SIGKILL. */
  crash(): Promise<void>;
  /** On the same port, with what its disk has kept. Resolves when it answers. */
  start(): Promise<void>;
  restart(): Promise<void>;
  flushAll(): Promise<void>;
  /** Beyond it, writes are refused; 0: no limit. Until the next start. */
  setMaxMemory(bytes: number): Promise<void>;
  /** Beyond it, connections are refused; those that stand stay. Until the next start. */
  setMaxClients(count: number): Promise<void>;
  /** Ends the connections of all clients. @returns how many */
  killClients(): Promise<number>;
  usedMemory(): Promise<number>;
}

/**
 * A Redis that nobody else uses: started from a program on this machine, gone with this process at the latest.
 *
 * @param options `persistent`: whether it writes down what it holds, and when that is on the disk; false: a stop empties it
 */
export async function startOwnRedis(
  options: { persistent?: false | 'everysec' | 'always' } = {},
): Promise<OwnRedis> {
  const { persistent = false } = options;
  const keeper = await startInTurn<Started>('own-redis.mjs', { persistent });
  const { url, port, description, folder } = keeper.servers;
  const admin = createAdmin(url);

  const stop = async () => {
    admin.close();
    await keeper.ask('stop');
  };
  const start = async () => void (await keeper.ask('start'));
  return {
    url,
    port,
    description,
    folder,
    stop,
    start,
    async restart() {
      if (await keeper.ask('isRunning')) await stop();
      await start();
    },
    crash: async () => void (await keeper.ask('crash')),
    isRunning: async () => (await keeper.ask('isRunning')) === true,
    flushAll: async () => void (await admin.call('flushall')),
    setMaxMemory: async (bytes) => void (await admin.call('config', 'set', 'maxmemory', String(bytes))),
    setMaxClients: async (count) => void (await admin.call('config', 'set', 'maxclients', String(count))),
    async killClients() {
      const ended = ['normal', 'pubsub'].map((type) => admin.call('client', 'kill', 'type', type));
      return (await Promise.all(ended)).reduce<number>((sum, count) => sum + Number(count), 0);
    },
    async usedMemory() {
      const info = String(await admin.call('info', 'memory'));
      return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
    },
    async dispose() {
      admin.close();
      await keeper.stop();
    },
  };
}

/** A connection that stays open, so that it still has a place when there is none for a new one. */
function createAdmin(url: string) {
  let client: Redis | null = null;

  return {
    async call(command: string, ...args: string[]): Promise<unknown> {
      if (client?.status === 'end') client = null;
      if (!client) {
        client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
        client.on('error', () => {});
      }
      return client.call(command, ...args);
    },
    close() {
      client?.disconnect();
      client = null;
    },
  };
}
