import { explainMemory } from '@slowwave/db';
import { changeMemory, type MemoryChange } from '@slowwave/producer';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { distanceOf, explainSections, numberOf, printable } from './explain-lines.ts';
import { when } from './print.ts';

export interface MemoryArguments {
  /** Our id, or the writer's own. */
  memory: string;
  tenant: string;
  /** Whose it is; needed only when several users of the tenant have one of that name. */
  user?: string;
  json: boolean;
}

const unknownMemory = ({ memory, user, tenant }: MemoryArguments) =>
  new UsageError(
    `there is no memory ${printable(memory)} ${user === undefined ? `in tenant ${tenant}` : `of ${user}`}: give its id, or the id it was imported with`,
  );

/** Says how a memory's prominence came about and when it crosses a threshold next. @returns exit code */
export async function explainCommand(context: CommandContext, given: MemoryArguments): Promise<number> {
  const { terminal } = context;
  const { memory: id, tenant, user } = given;
  const found = await anywhere(context, {
    service: (client) => client.explain(id, { tenant, user }),
    database: (database) =>
      database.withTenant(tenant, (tx) => explainMemory(tx, { tenant, user, id, at: Date.now() })),
  });
  if (found === null) throw unknownMemory(given);
  if (given.json) {
    terminal.line(JSON.stringify(found));
    return EXIT.ok;
  }
  for (const { title, lines } of explainSections(found)) {
    terminal.line(terminal.bold(title));
    for (const line of lines) terminal.line(`  ${line}`);
  }
  return EXIT.ok;
}

/** Confirms, demotes or sets one memory. @returns exit code */
export async function changeCommand(
  context: CommandContext,
  given: MemoryArguments,
  change: MemoryChange,
): Promise<number> {
  const { terminal } = context;
  const { memory: id, tenant, user } = given;
  const at = Date.now();
  const changed = await anywhere(context, {
    service: (client) => client.change(id, { tenant, user }, change),
    database: (database) =>
      database.withTenant(tenant, (tx) => changeMemory(tx, { tenant, user, id, at }, change)),
  });
  if (changed === null) throw unknownMemory(given);
  const { before, after, nextCrossingAt } = changed;
  const next =
    nextCrossingAt === null
      ? 'it crosses no threshold any more'
      : `next crossing ${when(nextCrossingAt)}, in ${distanceOf(nextCrossingAt - at)}`;
  terminal.line(
    given.json
      ? JSON.stringify({ tenant, ...changed })
      : `${printable(id)} of ${changed.user}: prominence ${numberOf(before)} → ${numberOf(after)}, ${next}`,
  );
  return EXIT.ok;
}
