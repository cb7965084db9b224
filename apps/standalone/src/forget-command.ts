import { createInterface } from 'node:readline/promises';
import { type ForgetResult, type ForgetTarget, forget } from '@slowwave/db';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, HeldBack, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import { forgetLines } from './forget-lines.ts';

export interface ForgetArguments {
  what: 'memory' | 'session' | 'user';
  id: string;
  tenant: string;
  /** Whose memory or session it is. */
  user?: string;
  dryRun: boolean;
  /** Do not ask. */
  yes: boolean;
  json: boolean;
}

/** Asks somebody at a terminal; null where nobody sits at one. */
export type Ask = ((question: string) => Promise<string>) | null;

/** Asks at the terminal of this process. */
export function terminalAsk(input = process.stdin, output = process.stdout): Ask {
  if (!input.isTTY || !output.isTTY) return null;
  return async (question) => {
    const lines = createInterface({ input, output });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}

/**
 * Forgets something for good, once somebody has seen what would go and said so, or said --yes.
 * @returns exit code
 * @throws UsageError when it is not clear whose it is, HeldBack when nobody can be asked or the answer is no
 */
export async function forgetCommand(
  context: CommandContext,
  given: ForgetArguments,
  ask: Ask = terminalAsk(),
): Promise<number> {
  const user = ownerOf(given);
  if (!given.yes && !given.dryRun) await confirm(context, given, user, ask);
  const result = await carryOut(context, given, user, given.dryRun);
  print(context, given, user, result);
  return EXIT.ok;
}

function ownerOf({ what, id, user }: ForgetArguments): string {
  if (what === 'user') {
    if (user === undefined || user === id) return id;
    throw new UsageError('which user? The id and --user name two of them');
  }
  if (user === undefined) throw new UsageError(`whose ${what} is it? Say so with --user`);
  return user;
}

async function confirm(
  context: CommandContext,
  given: ForgetArguments,
  user: string,
  ask: Ask,
): Promise<void> {
  if (ask === null || given.json) {
    throw new HeldBack('forgetting is for good: look at it with --dry-run first, then say --yes');
  }
  print(context, given, user, await carryOut(context, given, user, true));
  const answer = await ask(`Forget this for good? Type "forget" to do so: `);
  if (answer.trim().toLowerCase() !== 'forget') throw new HeldBack('nothing was forgotten');
}

function carryOut(
  context: CommandContext,
  { what, id, tenant }: ForgetArguments,
  user: string,
  dryRun: boolean,
): Promise<ForgetResult> {
  const actor = 'command line';
  return anywhere(context, {
    service: (client) => client.forget(what, id, { tenant, user, dryRun, by: actor }),
    database: (database) =>
      forget(database, {
        tenant,
        user,
        target: targetOf(what, id),
        at: Date.now(),
        actor,
        checkOnly: dryRun,
      }),
  });
}

function targetOf(what: ForgetArguments['what'], id: string): ForgetTarget {
  if (what === 'memory') return { memory: id };
  return what === 'session' ? { session: id } : { user: true };
}

function print(
  { terminal }: CommandContext,
  { what, id, tenant, json }: ForgetArguments,
  user: string,
  result: ForgetResult,
): void {
  if (json) {
    terminal.line(JSON.stringify({ tenant, user, ...result }));
    return;
  }
  const name = what === 'user' ? `user ${printable(user)}` : `${what} ${printable(id)} of ${printable(user)}`;
  for (const line of forgetLines(name, result)) terminal.line(line);
}
