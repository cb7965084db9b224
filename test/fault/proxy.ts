import { createServer, type Server } from 'node:net';
import { until } from '../fixtures/wait.ts';
import { steadyPort } from './server-scripts.ts';
import { carry, type Fault, finish, hurt, orphan, PASS, type Way, wakeAll } from './way.ts';

export type { Direction, Fault } from './way.ts';
export type FaultKind = Fault['kind'];

export interface Proxy {
  /** The target's address with the proxy's place in it. */
  url: string;
  port: number;
  /** Resolves when the fault is in force, in the place of the one before. */
  set(fault: Fault): Promise<void>;
  /** What is in force. `cut` and `close-one-side` are over at once and leave `pass`. */
  fault(): Fault;
  /** How often each kind was set. */
  faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Connections of clients that stand. */
  connections(): number;
  /** Connections that were taken since the start, and those among them that a fault ended. */
  counts(): { taken: number; hurt: number };
  stop(): Promise<void>;
}

/**
 * A proxy on loopback, in this process, that hurts what passes through it. Holds at most a few pieces of each connection.
 *
 * @param target address of the server: any scheme, with a port
 */
export async function startProxy(target: string): Promise<Proxy> {
  const url = new URL(target);
  const way: Way = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    fault: PASS,
    links: new Set(),
    sleepers: new Set(),
    counts: { taken: 0, hurt: 0 },
  };
  const port = await steadyPort();
  const faults: Partial<Record<FaultKind, number>> = {};
  let listener: Server | null = await listen(way, port);
  /** The system stops listening at once; the callback would wait for the connections. */
  function deafen(): void {
    listener?.close();
    listener = null;
  }
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: target.endsWith('/') ? url.href : url.href.replace(/\/$/, ''),
    port,
    faults,
    async set(fault) {
      faults[fault.kind] = (faults[fault.kind] ?? 0) + 1;
      way.fault = fault.kind === 'cut' || fault.kind === 'close-one-side' ? PASS : fault;
      for (const link of way.links) link.passed = { up: 0, down: 0 };
      if (fault.kind === 'refuse') deafen();
      else listener ??= await listen(way, port);
      for (const link of way.links) {
        if (fault.kind === 'cut' || fault.kind === 'refuse' || fault.kind === 'reset') hurt(way, link);
        if (fault.kind === 'close-one-side') orphan(way, link, fault.side);
      }
      wakeAll(way);
    },
    fault: () => way.fault,
    connections: () => way.links.size,
    counts: () => ({ ...way.counts }),
    async stop() {
      way.fault = PASS;
      deafen();
      for (const link of way.links) finish(link);
      wakeAll(way);
    },
  };
}

function listen(way: Way, port: number): Promise<Server> {
  return until('the port of the proxy', () => tryToListen(way, port));
}

function tryToListen(way: Way, port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer({ allowHalfOpen: true }, (client) => void carry(way, client));
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
