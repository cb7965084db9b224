import { join } from 'node:path';
import type { Arming } from '../types.ts';
import type { Bundles } from './bundle.ts';
import { type End, type Running, startRunning } from './processes.ts';

/** A place in which one process after the other runs. */
export interface Slot {
  name: string;
  current(): Running | null;
  /** Arms the process that runs now. */
  arm(arming: Arming): void;
  /** Ends its process for one with settings that differ by these; those kept ready differ by none. */
  replaceWith(more: object): void;
  /** Its process was asked to end by SIGTERM: whoever else would end it leaves it alone. */
  stopping(): boolean;
  /** Ends its process by SIGTERM, by SIGKILL when that takes longer than the limit. @returns how; null when there was none that worked */
  stop(limitMs: number): Promise<(End & { ms: number; late: boolean }) | null>;
}

export interface SlotOptions {
  bundles: Bundles;
  entry: string;
  /** Settings of every process of this entry. */
  settings: object;
  logs: string;
  /** How many are kept loaded. */
  spares: number;
  /** Told of every end but of those that were asked to end by SIGTERM and could see to it. */
  onEnd(slot: string, end: End, process: Running): void;
}

/** Slots of one entry, with processes kept ready for them, so that who ends is replaced at once. */
export interface Slots {
  list: Slot[];
  start(): void;
  /** Ends all by SIGTERM and starts none until `release`. */
  hold(limitMs: number): Promise<void>;
  release(): void;
  /** SIGKILL for all, and no more. */
  stop(): Promise<void>;
  /** Errors that its processes have thrown on purpose so far. */
  thrown(): number;
}

/** One that cannot even start would be started again and again at full speed. */
const RESTART_PAUSE_MS = 250;

/** What the slots of one entry share. */
interface Pool {
  options: SlotOptions;
  isWanted(): boolean;
  isHeld(): boolean;
  take(): Running;
  spawn(standby: boolean, more: object): Running;
}

export function createSlots(names: readonly string[], options: SlotOptions): Slots {
  const { bundles, entry, settings, logs } = options;
  const state = { wanted: false, held: false };
  const all = new Set<Running>();
  let thrown = 0;
  let spares: Running[] = [];

  function spawn(standby: boolean, more: object): Running {
    const log = join(logs, `${entry}.log`);
    const started = startRunning(bundles.args(entry), { ...settings, ...more, standby }, log, () => {
      thrown += 1;
    });
    all.add(started);
    void started.ended.then(() => all.delete(started));
    return started;
  }

  function fill(): void {
    spares = spares.filter((spare) => !spare.over());
    while (state.wanted && spares.length < options.spares) spares.push(spawn(true, {}));
  }

  /** One that is loaded, or the one that will be so first. */
  function take(): Running {
    spares = spares.filter((spare) => !spare.over());
    const taken = spares.find((spare) => spare.standing()) ?? spares[0] ?? spawn(true, {});
    spares = spares.filter((spare) => spare !== taken);
    fill();
    return taken;
  }

  const pool: Pool = { options, isWanted: () => state.wanted, isHeld: () => state.held, take, spawn };
  const slots = names.map((name) => createSlot(name, pool));
  return {
    list: slots,
    start() {
      state.wanted = true;
      fill();
      for (const slot of slots) slot.begin();
    },
    async hold(limitMs) {
      state.held = true;
      await Promise.all(slots.map((slot) => slot.end(limitMs)));
    },
    release() {
      state.held = false;
      for (const slot of slots) slot.begin();
    },
    async stop() {
      state.wanted = false;
      const running = [...all];
      for (const one of running) one.signal('SIGKILL');
      await Promise.all(running.map((one) => one.ended));
    },
    thrown: () => thrown,
  };
}

function createSlot(name: string, pool: Pool) {
  let current: Running | null = null;
  let next: object | null = null;
  let stopping = false;

  function begin(): void {
    if (!pool.isWanted() || pool.isHeld() || current !== null) return;
    const running = next === null ? pool.take() : pool.spawn(false, next);
    if (next === null) running.tell({ go: true });
    next = null;
    stopping = false;
    current = running;
    void running.ended.then((end) => ended(running, end));
  }

  async function ended(running: Running, end: End): Promise<void> {
    current = null;
    if (!pool.isWanted()) return;
    if (!stopping || end.signal !== null) pool.options.onEnd(name, end, running);
    if (!running.wasReady()) await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS));
    begin();
  }

  async function terminate(running: Running, limitMs: number): Promise<End & { ms: number; late: boolean }> {
    stopping = true;
    const begun = Date.now();
    running.signal('SIGTERM');
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      running.signal('SIGKILL');
    }, limitMs);
    const end = await running.ended;
    clearTimeout(timer);
    return { ...end, ms: Date.now() - begun, late };
  }

  return {
    name,
    begin,
    current: () => current,
    arm: (arming: Arming) => current?.tell({ arm: arming }),
    replaceWith(more: object) {
      next = more;
      current?.signal('SIGKILL');
    },
    stopping: () => stopping,
    async stop(limitMs: number) {
      const running = current;
      // One that was killed a moment ago cannot end in any other way.
      if (stopping || running === null || !running.ready() || running.doomed()) return null;
      return terminate(running, limitMs);
    },
    /** In whatever state it is. */
    async end(limitMs: number): Promise<void> {
      if (current !== null) await terminate(current, limitMs);
    },
  };
}
