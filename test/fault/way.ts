import { connect, type Socket } from 'node:net';

/** `up`: what the client sends; `down`: what the server sends. */
export type Direction = 'up' | 'down';

/**
 * What may happen to connections on their way. A direction that is not named means both.
 *
 * - `pass`: nothing.
 * - `cut`: every connection is reset, once; new ones pass.
 * - `refuse`: nobody listens, as when the server is gone; connections that stand are reset.
 * - `reset`: new connections are reset at once, those that stand too.
 * - `half-open`: both sides stay open and hear nothing; new connections hang. What is in them comes through when it is over.
 * - `delay`: every piece is held back for so long, in order.
 * - `drip`: one byte at a time.
 * - `cut-after`: a connection is reset when so many more bytes have passed.
 * - `close-one-side`: once, one side of every connection is closed and the other is not told; new connections pass.
 * - `lose-at`: once, the server's side of the connection whose client says that is closed before it arrives, and the client is not told.
 */
export type Fault =
  | { kind: 'pass' | 'cut' | 'refuse' | 'reset' }
  | { kind: 'half-open'; direction?: Direction }
  | { kind: 'delay'; ms: number; direction?: Direction }
  /** `everyMs`: default 1,000. */
  | { kind: 'drip'; everyMs?: number; direction?: Direction }
  | { kind: 'cut-after'; bytes: number; direction?: Direction }
  | { kind: 'close-one-side'; side: 'client' | 'server' }
  | { kind: 'lose-at'; said: string };

/** What the connections of one proxy have in common. */
export interface Way {
  host: string;
  port: number;
  /** In force. */
  fault: Fault;
  links: Set<Link>;
  /** Those who wait until the fault is another one. */
  sleepers: Set<() => void>;
  /** Connections that were taken, and those among them that a fault ended. */
  counts: { taken: number; hurt: number };
}

/** One connection of a client, and the one that carries it on. */
export interface Link {
  client: Socket;
  server: Socket | null;
  /** Bytes that have passed since the fault in force was set. */
  passed: Record<Direction, number>;
  /** One side was closed behind the other's back. */
  isOrphan: boolean;
  isOver: boolean;
}

export const PASS: Fault = { kind: 'pass' };
const DRIP_MS = 1_000;

/** Carries a client to the server until both have said their last word, or a fault ends it. */
export async function carry(way: Way, client: Socket): Promise<void> {
  const link: Link = { client, server: null, passed: { up: 0, down: 0 }, isOrphan: false, isOver: false };
  way.counts.taken += 1;
  way.links.add(link);
  client.on('error', () => {});
  client.once('close', () => forget(way, link));
  client.setNoDelay(true);
  if (way.fault.kind === 'reset' || way.fault.kind === 'refuse') return hurt(way, link);
  while (!link.isOver && way.fault.kind === 'half-open' && way.fault.direction === undefined)
    await rest(way, link);
  if (link.isOver) return;
  const server = connect({ host: way.host, port: way.port, allowHalfOpen: true, noDelay: true });
  link.server = server;
  server.once('close', () => forget(way, link));
  const arrived = await new Promise<boolean>((resolve) => {
    server.once('connect', () => resolve(true));
    server.on('error', () => resolve(false));
    server.once('close', () => resolve(false));
  });
  if (!arrived || link.isOver) return finish(link);
  await Promise.all([pump(way, link, 'up', client, server), pump(way, link, 'down', server, client)]);
}

/** Ends a connection as a fault does. */
export function hurt(way: Way, link: Link): void {
  if (!link.isOver) way.counts.hurt += 1;
  finish(link);
}

export function finish(link: Link): void {
  link.isOver = true;
  reset(link.client);
  reset(link.server);
}

/** Closes one side; the other one goes on speaking to nobody. */
export function orphan(way: Way, link: Link, side: 'client' | 'server'): void {
  if (link.isOrphan || !link.server) return;
  link.isOrphan = true;
  way.counts.hurt += 1;
  (side === 'client' ? link.client : link.server).destroy();
}

export function wakeAll(way: Way): void {
  for (const wake of [...way.sleepers]) wake();
}

function forget(way: Way, link: Link): void {
  if (link.client.destroyed && (link.server?.destroyed ?? true)) way.links.delete(link);
}

/** Everything that one side says, to the other one, as far as the fault lets it. */
async function pump(way: Way, link: Link, direction: Direction, from: Socket, to: Socket): Promise<void> {
  try {
    for await (const piece of from.iterator({ destroyOnReturn: false })) {
      await forward(way, link, direction, to, piece as Buffer);
      if (link.isOver) return;
    }
    await audible(way, link, direction);
    if (!link.isOrphan) to.end();
    else if (to.destroyed) finish(link);
  } catch {
    // A connection that breaks off breaks off on the other side too, unless the way between them is silent.
    await audible(way, link, direction);
    if (!link.isOrphan || to.destroyed) finish(link);
  }
}

async function forward(way: Way, link: Link, direction: Direction, to: Socket, piece: Buffer): Promise<void> {
  let left = piece;
  let isDelayed = false;
  // What an orphan says is lost.
  while (left.length > 0 && !link.isOver && !link.isOrphan) {
    const fault = faultOf(way, direction);
    if (fault.kind === 'half-open') {
      await rest(way, link);
    } else if (fault.kind === 'lose-at' && direction === 'up' && left.includes(fault.said)) {
      way.fault = PASS;
      orphan(way, link, 'server');
    } else if (fault.kind === 'delay' && !isDelayed) {
      isDelayed = true;
      await rest(way, link, fault.ms);
    } else {
      const count = roomOf(fault, link.passed[direction], left.length);
      await deliver(to, left.subarray(0, count));
      link.passed[direction] += count;
      left = left.subarray(count);
      if (fault.kind === 'drip') await rest(way, link, fault.everyMs ?? DRIP_MS);
      const isAtItsEnd = fault.kind === 'cut-after' && link.passed[direction] >= fault.bytes;
      if (isAtItsEnd && way.fault === fault) hurt(way, link);
    }
  }
}

/** How many of the bytes may go now. */
function roomOf(fault: Fault, passed: number, bytes: number): number {
  if (fault.kind === 'drip') return 1;
  return fault.kind === 'cut-after' ? Math.min(bytes, Math.max(0, fault.bytes - passed)) : bytes;
}

function faultOf({ fault }: Way, direction: Direction): Fault {
  const named = 'direction' in fault ? fault.direction : undefined;
  return named === undefined || named === direction ? fault : PASS;
}

/** Waits for as long as this direction is silent. */
async function audible(way: Way, link: Link, direction: Direction): Promise<void> {
  while (!link.isOver && faultOf(way, direction).kind === 'half-open') await rest(way, link);
}

/** Resolves after that time, or when the fault is another one or a socket of the connection closes. */
function rest(way: Way, link: Link, ms?: number): Promise<void> {
  const sockets = link.server ? [link.client, link.server] : [link.client];
  const endsAt = performance.now() + (ms ?? 0);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    // A timer goes by the time at which its turn of the loop began: in a long turn it is early.
    const sleep = () => {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) wake();
      else timer = setTimeout(sleep, leftMs);
    };
    const wake = () => {
      clearTimeout(timer);
      for (const socket of sockets) socket.removeListener('close', wake);
      way.sleepers.delete(wake);
      resolve();
    };
    way.sleepers.add(wake);
    for (const socket of sockets) socket.once('close', wake);
    if (ms !== undefined) sleep();
  });
}

/** Resolves when the system has taken it, so that what a slow reader leaves stays with the sender. Whoever is gone takes everything. */
function deliver(to: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (to.destroyed || bytes.length === 0) resolve();
    else to.write(bytes, () => resolve());
  });
}

/** An end without notice, as far as the system allows one. */
function reset(socket: Socket | null): void {
  if (!socket || socket.destroyed) return;
  if (socket.connecting) socket.destroy();
  else socket.resetAndDestroy();
}
