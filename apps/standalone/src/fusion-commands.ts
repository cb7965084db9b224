import { type Database, type FusionDetail, type FusionView, pageFusions, readFusion } from '@slowwave/db';
import type { FusionStatus, Tier } from '@slowwave/fusion';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import { fusionLines } from './fusion-lines.ts';
import type { FusionsPage, FusionsQuestion } from './operator-calls.ts';
import { plural, when } from './print.ts';
import { tableLines } from './table.ts';

export interface FusionsArguments {
  tenant: string;
  user?: string;
  tier?: Tier;
  status?: FusionStatus;
  run?: string;
  limit: number;
  cursor?: string;
  json: boolean;
}

export interface FusionArguments {
  key: string;
  tenant: string;
  user: string;
  json: boolean;
}

async function pageOf(database: Database, { run, ...of }: FusionsQuestion): Promise<FusionsPage> {
  const filter = { ...of, ...(run === undefined ? {} : { runId: run }) };
  const { rows, nextCursor } = await database.withTenant(of.tenant, (tx) => pageFusions(tx, filter));
  return { tenant: of.tenant, fusions: rows, nextCursor };
}

/** Lists fusions and merges, those that changed last first. @returns exit code */
export async function fusionsCommand(
  context: CommandContext,
  { json, ...of }: FusionsArguments,
): Promise<number> {
  const { terminal } = context;
  const page = await anywhere(context, {
    service: (client) => client.fusions(of),
    database: (database) => pageOf(database, of),
  });
  if (json) terminal.line(JSON.stringify(page));
  else if (page.fusions.length === 0) terminal.line('no fusion');
  else {
    for (const line of fusionTable(page.fusions, terminal.columns)) terminal.line(line);
    if (page.nextCursor !== null) terminal.line(terminal.dim(`more: --cursor ${page.nextCursor}`));
  }
  return EXIT.ok;
}

export function fusionTable(fusions: readonly FusionView[], columns: number | null): string[] {
  const rows = fusions.map(({ key, user, tier, status, errorCode, updatedAt, sources, derived }) => [
    key,
    printable(user),
    tier,
    errorCode === null ? status : `${status} (${errorCode})`,
    when(updatedAt),
    plural(sources.length, 'source'),
    printable(derived?.content ?? ''),
  ]);
  return tableLines(['KEY', 'USER', 'TIER', 'STATUS', 'SINCE', 'MADE OF', 'SAYS'], rows, columns);
}

/** Shows one fusion: what it is made of, what it says, and what the gate says of it. @returns exit code */
export async function showFusionCommand(context: CommandContext, given: FusionArguments): Promise<number> {
  const { terminal } = context;
  const { key, tenant, user, json } = given;
  const found = await anywhere<FusionDetail | null>(context, {
    service: (client) => client.showFusion(key, { tenant, user }),
    database: (database) =>
      database.withTenant(tenant, (tx) => readFusion(tx, { tenant, user, key, at: Date.now() })),
  });
  if (found === null) {
    throw new UsageError(`${printable(user)} has no fusion ${printable(key)}: slowwave fusions lists them`);
  }
  if (json) terminal.line(JSON.stringify(found));
  else for (const line of fusionLines(found, terminal)) terminal.line(line);
  return EXIT.ok;
}
