import { folderOwner, migrate, readMigrationState } from '@slowwave/db';
import type { CommandContext } from './anywhere.ts';
import { EXIT } from './exit.ts';
import { connectDatabase } from './open-database.ts';
import { plural } from './print.ts';

/** Brings the schema up to date, or tells what that would run. @returns exit code: 1 when a dry run finds something to do */
export async function migrateCommand(
  { config, logger, terminal }: CommandContext,
  { dryRun, json }: { dryRun: boolean; json: boolean },
): Promise<number> {
  const owner = config.database.kind === 'embedded' ? await folderOwner(config.database.dataDir) : null;
  if (owner) {
    const said = { applied: [], pending: [], servedBy: owner.pid };
    terminal.line(
      json
        ? JSON.stringify(said)
        : `process ${owner.pid} has the data folder, and brought it up to date when it started`,
    );
    return EXIT.ok;
  }
  const database = await connectDatabase(config, logger);
  try {
    const { pending, known } = await readMigrationState(database);
    if (!json && !dryRun && pending.length > 0)
      terminal.progress(`running ${plural(pending.length, 'migration')}`, 0);
    // Also where nothing is pending: a database of a newer version is told by it.
    const applied = dryRun ? [] : await migrate(database);
    terminal.clear();
    if (json) terminal.line(JSON.stringify({ applied, pending: dryRun ? pending : [] }));
    else
      for (const name of dryRun ? pending : applied) terminal.line(`${dryRun ? 'would run' : 'ran'} ${name}`);
    if (!json && pending.length === 0) terminal.line(`all ${plural(known, 'migration')} were run before`);
    return dryRun && pending.length > 0 ? EXIT.failed : EXIT.ok;
  } finally {
    terminal.clear();
    await database.close();
  }
}
