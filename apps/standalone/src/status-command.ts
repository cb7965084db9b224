import type { Config } from '@slowwave/config';
import { countBands, folderOwner, getUser, listRuns } from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import type { Logger } from 'pino';
import { createClient, type UserStatus } from './client.ts';
import { EXIT, UsageError } from './exit.ts';
import { printBands } from './print.ts';
import { openDatabase } from './service.ts';
import type { Terminal } from './terminal.ts';

/** Where one user stands: bands of prominence, and each tier's due time and last success. @returns exit code */
export async function statusCommand(
  { config, logger, terminal }: { config: Config; logger: Logger; terminal: Terminal },
  given: { tenant: string; user: string; json: boolean },
): Promise<number> {
  const owner = config.database.kind === 'embedded' ? await folderOwner(config.database.dataDir) : null;
  const status = owner?.url ? await createClient(owner).status(given) : await readHere(config, logger, given);
  if (!status) throw new UsageError(`there is no user ${given.user}: import memories for this user first`);
  if (given.json) {
    terminal.line(JSON.stringify(status));
    return EXIT.ok;
  }
  terminal.line(printBands(`${given.user}:`, status.bands));
  for (const tier of TIERS) {
    const { dueAt, lastSuccessAt, failures } = status.tiers[tier];
    terminal.line(
      `  ${tier.padEnd(6)} due ${when(dueAt)}, last success ${when(lastSuccessAt)}${failures > 0 ? `, ${failures} failures in a row` : ''}`,
    );
  }
  return EXIT.ok;
}

const when = (ms: number | null): string =>
  ms === null || !Number.isFinite(ms) ? 'never' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

async function readHere(
  config: Config,
  logger: Logger,
  { tenant, user }: { tenant: string; user: string },
): Promise<UserStatus | null> {
  const database = await openDatabase(config, logger);
  try {
    return await database.withTenant(tenant, async (tx) => {
      const found = await getUser(tx, tenant, user);
      if (!found) return null;
      const bands = await countBands(tx, { tenant, user, at: Date.now() });
      return { ...found, bands, runs: await listRuns(tx, { tenant, user, limit: 10 }) };
    });
  } finally {
    await database.close();
  }
}
