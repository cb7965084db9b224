import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './options.ts';
import type { Row, RowResult } from './row.ts';
import type { Outcome } from './table.ts';

const PROGRAM = fileURLToPath(new URL('./run-row.ts', import.meta.url));

/** What a row's process tells at its end. */
export type RowMessage = { results: RowResult[] } | { failed: string };

/** Measures a row in a process of its own and waits for its end. A row that fails is an outcome as well. */
export async function measureApart(
  row: Row,
  options: Pick<BenchOptions, 'quick' | 'seed' | 'rounds'> & { env: Record<string, string> },
): Promise<Outcome> {
  const { env, quick, seed, rounds } = options;
  const begun = performance.now();
  const child = fork(PROGRAM, [row.id, JSON.stringify({ quick, seed, rounds })], {
    env: { ...process.env, ...env },
    execArgv: [...process.execArgv, '--expose-gc'],
    // What a row prints is progress: the table stands alone on standard output.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const message = await new Promise<RowMessage>((resolve) => {
    let told: RowMessage | null = null;
    child.on('message', (said: RowMessage) => {
      told = said;
    });
    child.on('error', (error) => resolve({ failed: error.message }));
    child.on('exit', (code, signal) =>
      resolve(told ?? { failed: `its process ended without a result (${signal ?? `exit code ${code}`})` }),
    );
  });
  return { row, seconds: Math.round((performance.now() - begun) / 100) / 10, ...message };
}
