import { readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { requestRun } from '@slowwave/db';
import type { Invariants, Snapshot } from '../invariants/index.ts';
import type { Tally, Violation } from '../types.ts';
import { SHIFT_MS } from './blows.ts';
import { recover } from './calm.ts';
import { CONCURRENCY, type Stage } from './stage.ts';
import type { Toll } from './toll.ts';
import type { Batch, StormUser } from './users.ts';

/** Users who are asked for a second time, and those with whom everything is taken back. */
const SECOND_PASS_MAX = 15;
const UNDONE_MAX = 5;

/** What is known of a batch after its storm. */
export interface Seen {
  /** Made anew for each look: embedded, the database is another one each time. */
  invariantsNow: () => Invariants;
  snapshot: Snapshot;
  tally: Tally;
  /** Errors thrown on purpose in this storm. */
  thrown: number;
  toll: Toll;
  /** Everything that was due is done. */
  isSettled: boolean;
  recoverMs: number;
}

/** Every promise about a batch. The data is the conductor's, before and after. */
export async function judge(stage: Stage, batch: Batch, seen: Seen): Promise<Violation[]> {
  const { invariantsNow, snapshot, tally, thrown, toll, isSettled } = seen;
  const logs = await readLogs(stage.logs);
  const violations = crashesIn(logs);
  const given = {
    snapshot,
    tally,
    thrown,
    poisoned: batch.users.filter((user) => user.poisoned),
    logs,
    callsAtOnce: CONCURRENCY,
    faultsAt: toll.faultsAt(),
    clockShiftMs: SHIFT_MS,
  };
  violations.push(...(await invariantsNow().check(given)));
  if (isSettled) violations.push(...(await tryOnce(stage, batch, seen)));
  return violations;
}

/** A second pass writes nothing and asks nothing; and all can be taken back. */
async function tryOnce(
  stage: Stage,
  batch: Batch,
  { invariantsNow, snapshot, toll, recoverMs }: Seen,
): Promise<Violation[]> {
  const unsettled: Violation[] = [];
  const settle = async () => {
    await stage.leave();
    const { unfinished } = await recover(stage, batch, invariantsNow, recoverMs * stage.pace, toll);
    if (unfinished !== null)
      unsettled.push({ invariant: 'second-pass', detail: `did not end: ${unfinished}` });
    await stage.enter();
  };
  const some = batch.users.filter(({ poisoned }) => !poisoned);
  // Nights reflect on the summaries that deep makes: they are made first.
  await askForDeep(stage, some);
  await settle();
  const second = await invariantsNow().secondPass({
    settle,
    calls: () => stage.model.counts().calls,
    usersMax: SECOND_PASS_MAX,
  });
  if (unsettled.length > 0) return unsettled;
  return [...second, ...(await invariantsNow().undoEverything(snapshot, some.slice(0, UNDONE_MAX)))];
}

async function askForDeep(stage: Stage, users: readonly StormUser[]): Promise<void> {
  const at = Date.now();
  for (const { tenant, user } of users)
    await stage.database.withTenant(tenant, (tx) => requestRun(tx, { tenant, user, tier: 'deep', at }));
}

/** Errors that nobody caught: what is printed and is no line of the log, said by Node.js. */
function crashesIn(logs: readonly string[]): Violation[] {
  const names = logs
    .flatMap((log) => log.split('\n'))
    .flatMap((line) => /^(?:[A-Za-z]*Error)\b/.exec(line)?.[0] ?? []);
  if (names.length === 0) return [];
  return [
    { invariant: 'no-crash', detail: `${names.length} uncaught errors (${[...new Set(names)].join(', ')})` },
  ];
}

async function readLogs(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
}

/** What tells of nothing is not kept: thousands of processes print a lot. */
export async function emptyLogs(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.endsWith('.log')) await truncate(join(folder, name));
}
