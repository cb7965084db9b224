import {
  type ConflictChoice,
  type ConflictPolicy,
  type ConflictSideView,
  type ConflictStatus,
  type ConflictView,
  listConflicts,
  resolveConflict,
  setConflictPolicy,
} from '@slowwave/db';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { numberOf, printable } from './explain-lines.ts';
import { when } from './print.ts';
import type { Terminal } from './terminal.ts';

export interface ConflictsArguments {
  tenant: string;
  /** Absent: everybody of the tenant. */
  user?: string;
  status: ConflictStatus | 'all';
  limit: number;
  json: boolean;
}

/** Lists memories that disagree, with both texts. @returns exit code */
export async function conflictsCommand(context: CommandContext, given: ConflictsArguments): Promise<number> {
  const { terminal } = context;
  const { tenant, user, status, limit, json } = given;
  const wanted = status === 'all' ? undefined : status;
  const conflicts = await anywhere(context, {
    service: async (client) => (await client.conflicts({ tenant, user, status, limit })).conflicts,
    database: (database) =>
      database.withTenant(tenant, (tx) => listConflicts(tx, { tenant, user, status: wanted, limit })),
  });
  if (json) {
    terminal.line(JSON.stringify({ tenant, conflicts }));
    return EXIT.ok;
  }
  if (conflicts.length === 0) terminal.line(status === 'open' ? 'nothing waits to be settled' : 'none');
  for (const conflict of conflicts) printConflict(terminal, conflict);
  if (conflicts.some(isOpen))
    terminal.line('to settle one: slowwave settle <conflict> --user <user> --keep a, b or both');
  return EXIT.ok;
}

const isOpen = ({ status, stale }: ConflictView): boolean => status !== 'resolved' && !stale;

function printConflict(terminal: Terminal, conflict: ConflictView): void {
  const { id, user, status, type, slot, description, stale } = conflict;
  const what = [status, type, stale && status !== 'resolved' ? 'moot' : null].filter(Boolean).join(', ');
  const about = slot ? `: ${printable(slot)}` : '';
  terminal.line(`${terminal.bold(id)} of ${printable(user)} (${what})${about}`);
  if (description) terminal.line(`  ${terminal.dim(printable(description))}`);
  terminal.line(sideLine(conflict, 'a'));
  terminal.line(sideLine(conflict, 'b'));
  if (status === 'resolved') terminal.line(`  ${settledLine(conflict)}`);
}

function sideLine(conflict: ConflictView, name: 'a' | 'b'): string {
  const side = conflict[name];
  const marks = [
    conflict.winner === side.id ? 'stands' : null,
    conflict.accuser === side.id && conflict.status === 'open' ? 'less trusted, alone out of fusion' : null,
    side.isLatest ? null : 'superseded',
  ].filter((mark) => mark !== null);
  const marked = marks.length > 0 ? ` [${marks.join('; ')}]` : '';
  return `  ${name}  “${printable(side.content)}” (${saidLine(side)})${marked}`;
}

function saidLine({ origin, session, trust, documentDate }: ConflictSideView): string {
  const where = session === null ? '' : ` in ${printable(session)}`;
  return `${origin}${where}, ${when(documentDate).slice(0, 10)}, trust ${numberOf(trust)}`;
}

function settledLine({ resolvedBy, actor, resolvedAt, resolution }: ConflictView): string {
  const who = resolvedBy === 'person' ? (actor ?? 'a person') : (resolvedBy ?? '');
  return `settled by ${printable(who)}, ${when(resolvedAt)}: ${printable(resolution ?? '')}`;
}

export interface SettleArguments {
  conflict: string;
  tenant: string;
  user: string;
  keep: ConflictChoice;
  note?: string;
  json: boolean;
}

/** Settles one conflict as a person decides. @returns exit code */
export async function settleCommand(context: CommandContext, given: SettleArguments): Promise<number> {
  const { conflict: id, tenant, user, keep, note, json } = given;
  const resolution = { keep, ...(note === undefined ? {} : { note }) };
  const by = 'operator';
  const settled = await anywhere(context, {
    service: (client) => client.resolveConflict(id, { tenant, user, by, ...resolution }),
    database: (database) => resolveConflict(database, { tenant, user, id, resolution, by, at: Date.now() }),
  });
  const { winner, loser, changeSetId } = settled;
  const { terminal } = context;
  if (json) {
    terminal.line(JSON.stringify({ tenant, user, ...settled }));
    return EXIT.ok;
  }
  terminal.line(
    winner === null ? 'settled: both stay' : `settled: ${winner} stands, ${loser} is superseded by it`,
  );
  terminal.line(`to take it back: slowwave undo ${changeSetId} --user ${printable(user)}`);
  return EXIT.ok;
}

export interface PolicyArguments {
  policy: ConflictPolicy;
  tenant: string;
  user: string;
  json: boolean;
}

const POLICY_WORDS: Record<ConflictPolicy, string> = {
  ask: 'contradictions wait for a person',
  newest_wins:
    'what was said later replaces what it contradicts, where that is safe; the rest waits for a person',
};

/** Says how a user's contradictions are settled from now on. @returns exit code */
export async function conflictPolicyCommand(
  context: CommandContext,
  { policy, tenant, user, json }: PolicyArguments,
): Promise<number> {
  const set = await anywhere(context, {
    service: async (client) => (await client.setConflictPolicy({ tenant, user, policy })).policy,
    database: (database) =>
      database.withTenant(tenant, (tx) => setConflictPolicy(tx, { tenant, user, policy })),
  });
  if (set === null) throw new UsageError(`there is no user ${user}: import memories for this user first`);
  context.terminal.line(
    json ? JSON.stringify({ tenant, user, policy: set }) : `${user}: ${POLICY_WORDS[set]}`,
  );
  return EXIT.ok;
}
