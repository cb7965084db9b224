import type { WorkspaceWork } from '@slowwave/db';
import { WORKSPACE_WORKS } from '@slowwave/db/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, seconds, tenantOption, wholeFrom } from './options.ts';
import type {
  AddArguments,
  RemoveArguments,
  SetArguments,
  WorkspaceSettingArguments,
} from './workspace-command.ts';
import type { WorkspaceArguments } from './workspace-context.ts';
import type { CatArguments, SearchArguments, WriteArguments } from './workspace-document-commands.ts';
import type { InsightsArguments } from './workspace-insight-commands.ts';
import type { ProjectArguments, UndoRunArguments, WorkspaceRunsArguments } from './workspace-run-commands.ts';

/** What people may do with workspaces; each returns its exit code. */
export interface WorkspaceCommands {
  addWorkspace(given: AddArguments): Promise<number>;
  listWorkspaces(given: WorkspaceArguments): Promise<number>;
  showWorkspace(given: WorkspaceArguments): Promise<number>;
  setWorkspace(given: SetArguments): Promise<number>;
  removeWorkspace(given: RemoveArguments): Promise<number>;
  workspaceFiles(given: WorkspaceArguments): Promise<number>;
  workspaceCat(given: CatArguments): Promise<number>;
  workspaceWrite(given: WriteArguments): Promise<number>;
  workspaceSearch(given: SearchArguments): Promise<number>;
  workspaceInsights(given: InsightsArguments): Promise<number>;
  workspaceAudit(given: WorkspaceArguments): Promise<number>;
  workspaceProject(given: ProjectArguments): Promise<number>;
  workspaceRuns(given: WorkspaceRunsArguments): Promise<number>;
  workspaceUndo(given: UndoRunArguments): Promise<number>;
}

type Done = (code: number | null) => void;

/** A size as 500000, 512K, 16M or 1G; bytes. */
function size(text: string): number {
  const found = /^(\d+)([KMG]?)$/i.exec(text.trim());
  const value = Number(found?.[1]) * 1024 ** ' KMG'.indexOf(found?.[2]?.toUpperCase() || ' ');
  if (found && value >= 1 && value <= 2 ** 40) return value;
  throw new InvalidArgumentError('a size as 500000, 512K, 16M or 1G is expected');
}

function hours(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 366 * 24) return value;
  throw new InvalidArgumentError('a number of hours from 0 to 8784 is expected');
}

function onOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('on or off is expected');
}

/** Adds `workspace` with its own commands. */
export function addWorkspaces(program: Command, commands: WorkspaceCommands, done: Done): void {
  const group = program
    .command('workspace')
    .description(
      'folders and documents that are the memory of an agent: add, list, show, set, remove, read, write',
    );
  const command = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .requiredOption('--user <user>', 'whose workspace it is')
      .addOption(tenantOption())
      .addOption(jsonOption());
  addPlaces(command, commands, done);
  addDocuments(command, commands, done);
  addRuns(command, commands, done);
}

type NewCommand = (name: string, description: string) => Command;

const chosen = (): Option =>
  new Option('--workspace <name>', 'which one; needed only where the user has several');

function settings(command: Command): Command {
  return command
    .option('--backend <type>', 'file, qmd, readonly or postgres (documents in the database)')
    .option('--memory <on|off>', 'whether agents are told of this memory at all', onOff)
    .option(
      '--projection <on|off>',
      'whether what was consolidated is written into MEMORY.md and DREAMS.md',
      onOff,
    )
    .option('--notes <on|off>', 'whether daily notes and hand-written text become memories', onOff)
    .option('--quota <size>', 'most that all documents in the database may hold, as 16M', size)
    .option('--insights <on|off>', 'whether insights are extracted on a schedule', onOff)
    .option('--schedule <cron>', 'when, as five cron fields: "0 2 * * *"')
    .option('--timezone <zone>', 'of the schedule, as Europe/Berlin; "user" for the user\'s own')
    .option('--min-hours <hours>', 'least time between two extractions', hours)
    .option(
      '--min-growth <characters>',
      'growth of MEMORY.md below which nothing is asked',
      wholeFrom(0, 1_000_000_000),
    );
}

function addPlaces(command: NewCommand, commands: WorkspaceCommands, done: Done): void {
  settings(
    command('add', 'make a folder a workspace, or keep documents in the database (--documents)')
      .argument('[path]', 'the folder; its memory is in .fusion/memory')
      .option('--documents', 'documents in the database, without a folder', false)
      .option('--workspace <name>', 'its name; without one that of the folder'),
  ).action(async (path: string | undefined, options: Omit<AddArguments, 'path'>) =>
    done(await commands.addWorkspace({ path, ...options })),
  );

  command('list', 'list the workspaces of a user').action(async (options: WorkspaceArguments) =>
    done(await commands.listWorkspaces(options)),
  );

  command('show', 'show what is kept of a workspace')
    .addOption(chosen())
    .action(async (options: WorkspaceArguments) => done(await commands.showWorkspace(options)));

  settings(
    command('set', 'change what is given of a workspace')
      .addOption(chosen())
      .option('--folder <path>', 'another folder'),
  ).action(async (options: SetArguments & WorkspaceSettingArguments) =>
    done(await commands.setWorkspace(options)),
  );

  command('remove', 'forget that there is a workspace; files of a folder stay, documents in the database go')
    .argument('<workspace>', 'its name')
    .option('--yes', 'do not ask', false)
    .action(async (workspace: string, options: Omit<RemoveArguments, 'workspace'>) =>
      done(await commands.removeWorkspace({ ...options, workspace })),
    );
}

function addDocuments(command: NewCommand, commands: WorkspaceCommands, done: Done): void {
  command('files', 'list the documents')
    .addOption(chosen())
    .action(async (options: WorkspaceArguments) => done(await commands.workspaceFiles(options)));

  command('cat', 'print a document')
    .argument('[file]', 'MEMORY.md, DREAMS.md or YYYY-MM-DD.md', 'MEMORY.md')
    .addOption(chosen())
    .option('--from <line>', 'first line', wholeFrom(1, 1_000_000_000))
    .option('--lines <count>', 'most lines', wholeFrom(1, 400))
    .action(async (file: string, options: Omit<CatArguments, 'file'>) =>
      done(await commands.workspaceCat({ file, ...options })),
    );

  command('write', 'write a document whole, from standard input or a file')
    .argument('<file>', 'MEMORY.md, DREAMS.md or YYYY-MM-DD.md')
    .addOption(chosen())
    .option('--from <path>', 'take the text from this file')
    .option('--append', 'add it at the end instead', false)
    .option('--expect <version>', 'only when this version stands there; "none": only when nothing does')
    .action(async (file: string, options: Omit<WriteArguments, 'file'>) =>
      done(await commands.workspaceWrite({ file, ...options })),
    );

  command('search', 'search the documents')
    .argument('<query>', 'words')
    .addOption(chosen())
    .option('--limit <count>', 'most that are shown', wholeFrom(1, 20), 5)
    .action(async (query: string, options: Omit<SearchArguments, 'query'>) =>
      done(await commands.workspaceSearch({ query, ...options })),
    );
}

function addRuns(command: NewCommand, commands: WorkspaceCommands, done: Done): void {
  command('insights', 'show what was learned from MEMORY.md, or learn from it now (--now)')
    .addOption(chosen())
    .option('--now', 'ask the model now', false)
    .option('--force', 'with --now: even when it is too soon, or too little has changed', false)
    .option('--timeout <seconds>', 'with --now: longest wait', seconds, 600)
    .action(async ({ timeout, ...options }: Omit<InsightsArguments, 'timeoutMs'> & { timeout: number }) =>
      done(await commands.workspaceInsights({ ...options, timeoutMs: timeout * 1000 })),
    );

  command('audit', 'report on the memory of a workspace and its insights')
    .addOption(chosen())
    .action(async (options: WorkspaceArguments) => done(await commands.workspaceAudit(options)));

  command('project', 'bring the memories in MEMORY.md up to date now')
    .addOption(chosen())
    .option('--preview', 'only show what would be written', false)
    .action(async (options: ProjectArguments) => done(await commands.workspaceProject(options)));

  command('undo', 'put documents back as they stood before a run')
    .argument('<run>', 'its id, as "slowwave workspace runs" lists it')
    .addOption(chosen())
    .action(async (run: string, options: Omit<UndoRunArguments, 'run'>) =>
      done(await commands.workspaceUndo({ run, ...options })),
    );

  command('runs', 'list what was done to a workspace, the newest first')
    .addOption(chosen())
    .addOption(new Option('--work <work>', 'only of one kind').choices(WORKSPACE_WORKS))
    .option('--limit <count>', 'most that are shown', wholeFrom(1, 200), 20)
    .action(async (options: WorkspaceRunsArguments & { work?: WorkspaceWork }) =>
      done(await commands.workspaceRuns(options)),
    );
}
