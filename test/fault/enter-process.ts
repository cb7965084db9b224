import { type Armed, createArmed } from './armed.ts';
import { shiftClock } from './shift-clock.ts';
import type { FromProcess, ToProcess, WorkerSettings } from './types.ts';

/** What a process does until it is told to stop. */
export interface Running {
  /** Within the grace time. */
  close(): Promise<void>;
}

type Entered = Pick<WorkerSettings, 'clockShiftMs' | 'armed' | 'standby'>;

/** Resolves when the message is out; at once where nobody listens. */
function tell(message: FromProcess): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send || !process.connected) return resolve();
    process.send(message, undefined, undefined, () => resolve());
  });
}

/** Servers that are away: whoever started this process tries again. Everything else is a crash and shows as one. */
function endUnstarted(error: unknown): never {
  const { code, retryable } = error as { code?: unknown; retryable?: unknown };
  if (retryable !== true) throw error;
  process.stderr.write(`not started: ${String(code)}\n`);
  process.exit(3);
}

/**
 * A process of this suite, from its settings to its end. What it runs is loaded only when the clock has been set; in standby it is
 * loaded and waits for `go`. It ends with 0 only when it was told to stop and closed as it should, and when whoever started it is gone.
 * @param load the product
 */
export async function enterProcess<S extends Entered>(
  load: () => Promise<{ run(settings: S, armed: Armed): Promise<Running> }>,
): Promise<void> {
  const settings = JSON.parse(process.argv[2] ?? '{}') as S;
  shiftClock(settings.clockShiftMs);
  const armed = createArmed(settings.armed, (of) => tell({ reached: of.name, of }));
  let go = () => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  process.on('message', (message: ToProcess) => {
    if ('arm' in message) armed.arm(message.arm);
    else if ('resume' in message) armed.resume();
    else {
      for (const arming of message.armed ?? []) armed.arm(arming);
      go();
    }
  });
  // Whoever started it is gone: nobody would ever stop it.
  process.once('disconnect', () => process.exit(1));

  const leave = () => process.exit(0);
  const { run } = await load();
  if (settings.standby) {
    process.once('SIGTERM', leave);
    await tell({ standing: true });
    await told;
    process.removeListener('SIGTERM', leave);
  }
  const running = await run(settings, armed).catch(endUnstarted);
  let stopping = false;
  process.on('SIGTERM', () => {
    if (stopping) process.exit(1);
    stopping = true;
    running.close().then(leave, (error: unknown) => {
      process.stderr.write(`not closed: ${error instanceof Error ? error.name : 'unknown'}\n`);
      process.exit(1);
    });
  });
  await tell({ ready: true });
}
