import { countBands, getUser, listRuns, type TierState } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import { anywhere, type CommandContext } from './anywhere.ts';
import type { UserStatus } from './client.ts';
import { EXIT, UsageError } from './exit.ts';
import { printBands, when } from './print.ts';

/** Where one user stands: bands of prominence, each tier's due time and last success, and what holds it back. @returns exit code */
export async function statusCommand(
  context: CommandContext,
  given: { tenant: string; user: string; json: boolean },
): Promise<number> {
  const { config, terminal } = context;
  const { tenant, user } = given;
  const status = await anywhere<UserStatus | null>(context, {
    service: (client) => client.status(given),
    database: (database) =>
      database.withTenant(tenant, async (tx) => {
        const found = await getUser(tx, tenant, user);
        if (!found) return null;
        const bands = await countBands(tx, { tenant, user, at: Date.now() });
        return { ...found, bands, runs: await listRuns(tx, { tenant, user, limit: 10 }) };
      }),
  });
  if (!status) throw new UsageError(`there is no user ${user}: import memories for this user first`);
  if (given.json) {
    terminal.line(JSON.stringify(status));
    return EXIT.ok;
  }
  for (const line of statusLines(user, status, { at: Date.now(), overdueMs: config.overdueMs }))
    terminal.line(line);
  return EXIT.ok;
}

/** What is printed for people. @param clock.at epoch ms @param clock.overdueMs from when on a due tier is overdue */
export function statusLines(
  user: string,
  status: UserStatus,
  clock: { at: number; overdueMs: number },
): string[] {
  const { quarantine } = status;
  const lines = [printBands(`${user}:`, status.bands)];
  if (quarantine) {
    lines.push(
      `  in quarantine since ${when(quarantine.since)} (${quarantine.code}): nothing runs; when the cause is mended, slowwave release --user ${user}`,
    );
  }
  for (const tier of TIERS) lines.push(tierLine(tier, status, clock));
  return lines;
}

function tierLine(tier: Tier, status: UserStatus, clock: { at: number; overdueMs: number }): string {
  const state = status.tiers[tier];
  const { dueAt, lastSuccessAt, failures, nextAttemptAt } = state;
  const parts = [`due ${when(dueAt)}`, `last success ${when(lastSuccessAt)}`];
  if (failures > 0) parts.push(`${failures} failures in a row`);
  if (nextAttemptAt !== null && nextAttemptAt > clock.at)
    parts.push(`not again before ${when(nextAttemptAt)}`);
  const pauses = pausesOf(state);
  if (pauses.length > 0) parts.push(`paused for ${pauses.join(' and ')}`);
  else if (!status.quarantine && isOverdue(state, clock)) parts.push('overdue');
  return `  ${tier.padEnd(6)} ${parts.join(', ')}`;
}

function pausesOf({ paused, tenantPaused, tierPaused }: TierState): string[] {
  return [
    ...(paused ? ['this user'] : []),
    ...(tenantPaused ? ['the tenant'] : []),
    ...(tierPaused ? ['everybody'] : []),
  ];
}

/** By the rule of the service's own count. A due time that lies nowhere is null where it came as JSON. */
function isOverdue(
  { dueAt, nextAttemptAt }: TierState,
  { at, overdueMs }: { at: number; overdueMs: number },
): boolean {
  if (dueAt === null) return false;
  return Math.max(dueAt, nextAttemptAt ?? Number.NEGATIVE_INFINITY) < at - overdueMs;
}
