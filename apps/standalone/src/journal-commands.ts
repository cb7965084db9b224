import {
  CHANGE_SETS_PER_LIST_MAX,
  type Database,
  type Dependent,
  EditRefused,
  editMemory,
  getUser,
  type Lineage,
  lineageOf,
  listChangeSets,
  type MemoryEdit,
  redo,
  UndoRefused,
  type UndoResult,
  type UndoTarget,
  undo,
} from '@slowwave/db';
import { anywhere, type CommandContext } from './anywhere.ts';
import { ServiceError } from './client.ts';
import { EXIT, UsageError, unknownUser } from './exit.ts';
import { printable } from './explain-lines.ts';
import { dependentLines, editLines, journalLines, lineageLines, undoLines } from './journal-lines.ts';

interface Owner {
  tenant: string;
  user: string;
  json: boolean;
}

export interface UndoArguments extends Owner {
  action: 'undo' | 'redo';
  /** The key of a fusion, or the id of a run or of a change set. */
  target: string;
  dryRun: boolean;
  by: string;
}

export interface JournalArguments extends Owner {
  limit: number;
  before?: string;
  memory?: string;
}

export interface EditArguments extends Owner, MemoryEdit {
  /** Our id, or the writer's own. */
  memory: string;
  by: string;
}

export interface LineageArguments extends Owner {
  memory: string;
  depth: number;
}

const FUSION_KEY = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a bare id may mean, in the order in which it is tried. */
function targetsOf(id: string): UndoTarget[] {
  if (FUSION_KEY.test(id)) return [{ fusion: id }];
  if (UUID.test(id)) return [{ changeSet: id }, { run: id }];
  throw new UsageError(
    `${printable(id)} is neither the key of a fusion nor the id of a run or change set: slowwave journal lists them`,
  );
}

/** A refusal, from wherever it comes. */
interface Refusal {
  code: string;
  message: string;
  dependents: Dependent[];
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof UndoRefused || error instanceof EditRefused) {
    const { code, message, dependents } = error;
    return { code, message, dependents };
  }
  if (!(error instanceof ServiceError) || (error.status !== 409 && error.code !== 'unknown_change'))
    return null;
  const dependents = error.more.dependents as Dependent[] | undefined;
  return { code: error.code, message: error.message, dependents: dependents ?? [] };
}

const isUnknown = (refusal: Refusal | null): boolean =>
  refusal?.code === 'unknown' || refusal?.code === 'unknown_change';

/** Undoes or redoes a fusion, a run or a change set. @returns exit code */
export async function undoCommand(context: CommandContext, given: UndoArguments): Promise<number> {
  const { action, tenant, user, dryRun, by, json } = given;
  const targets = targetsOf(given.target);
  return answering(context, given, async () => {
    const result = await anywhere(context, {
      service: (client) =>
        firstKnown(targets, (target) => client.takeBack(action, target, { tenant, user, dryRun, by })),
      database: (database) => firstKnown(targets, (target) => takeBack(database, given, target)),
    });
    if (json) return [JSON.stringify({ tenant, user, ...result })];
    return undoLines(result);
  });
}

function takeBack(database: Database, given: UndoArguments, target: UndoTarget): Promise<UndoResult> {
  const { action, tenant, user, dryRun, by } = given;
  const input = { tenant, user, target, at: Date.now(), actor: by, checkOnly: dryRun };
  return action === 'undo' ? undo(database, input) : redo(database, input);
}

/** Goes on to what an id may mean besides only when it is nothing of that kind. */
async function firstKnown<T>(targets: UndoTarget[], act: (target: UndoTarget) => Promise<T>): Promise<T> {
  const [first, ...rest] = targets;
  try {
    return await act(first!);
  } catch (error) {
    if (rest.length === 0 || !isUnknown(refusalOf(error))) throw error;
    return firstKnown(rest, act);
  }
}

/** Prints what came of it, or why it was refused and what to undo first. */
async function answering(
  { terminal }: CommandContext,
  { tenant, user, json }: Owner,
  work: () => Promise<string[]>,
): Promise<number> {
  try {
    for (const line of await work()) terminal.line(line);
    return EXIT.ok;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    if (json) terminal.line(JSON.stringify({ tenant, user, refused: refusal }));
    else {
      terminal.error(refusal.message);
      for (const line of dependentLines(refusal.dependents, user)) terminal.error(line);
    }
    return EXIT.failed;
  }
}

/** Lists what was changed, newest first. @returns exit code */
export async function journalCommand(context: CommandContext, given: JournalArguments): Promise<number> {
  const { tenant, user, before, memory, json } = given;
  const limit = Math.min(given.limit, CHANGE_SETS_PER_LIST_MAX);
  const of = {
    tenant,
    user,
    limit,
    ...(before === undefined ? {} : { before }),
    ...(memory === undefined ? {} : { memory }),
  };
  const changeSets = await anywhere(context, {
    service: async (client) => {
      try {
        return (await client.changeSets(of)).changeSets;
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'unknown_user') return null;
        throw error;
      }
    },
    database: (database) =>
      database.withTenant(tenant, async (tx) =>
        (await getUser(tx, tenant, user)) === null ? null : listChangeSets(tx, of),
      ),
  });
  if (changeSets === null) throw unknownUser(user);
  if (json) context.terminal.line(JSON.stringify({ tenant, user, changeSets }));
  else for (const line of journalLines(changeSets)) context.terminal.line(line);
  return EXIT.ok;
}

const unknownMemory = ({ memory, user }: { memory: string; user: string }) =>
  new UsageError(
    `there is no memory ${printable(memory)} of ${printable(user)}: give its id, or the id it was imported with`,
  );

/** Gives a memory other words. @returns exit code */
export async function editCommand(context: CommandContext, given: EditArguments): Promise<number> {
  const { memory, json, ...edit } = given;
  const { tenant, user, by } = given;
  const { content, category, importance, validFrom, validTo, eventDate } = given;
  const wanted = [content, category, importance, validFrom, validTo, eventDate];
  if (wanted.every((value) => value === undefined)) {
    throw new UsageError('nothing to change: give a text, or --category, --importance or a time');
  }
  const maxContentChars = context.config.maxMemoryChars;
  return answering(context, given, async () => {
    const result = await anywhere(context, {
      service: (client) => orUnknown(given, () => client.edit(memory, edit)),
      database: (database) =>
        database.withTenant(tenant, (tx) =>
          editMemory(tx, { ...edit, id: memory, at: Date.now(), actor: by, maxContentChars }),
        ),
    });
    if (result === null) throw unknownMemory(given);
    return json ? [JSON.stringify({ tenant, user, ...result })] : editLines(result);
  });
}

/** The service's "there is none" in the words of this command. */
async function orUnknown<T>(given: { memory: string; user: string }, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unknown_memory') throw unknownMemory(given);
    throw error;
  }
}

/** Shows what a memory is made of and what was made of it. @returns exit code */
export async function lineageCommand(context: CommandContext, given: LineageArguments): Promise<number> {
  const { memory, tenant, user, depth, json } = given;
  const found = await anywhere<Lineage | null>(context, {
    service: (client) => orUnknown(given, () => client.lineage(memory, { tenant, user, depth })),
    database: (database) =>
      database.withTenant(tenant, (tx) => lineageOf(tx, { tenant, user, id: memory, depth })),
  });
  if (found === null) throw unknownMemory(given);
  if (json) context.terminal.line(JSON.stringify({ tenant, user, ...found }));
  else for (const line of lineageLines(found)) context.terminal.line(line);
  return EXIT.ok;
}
