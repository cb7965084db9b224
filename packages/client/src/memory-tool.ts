import type { Client } from './client.ts';
import { type MemoryPath, memoryPath } from './memory-tool-path.ts';
import { editedSnippet, folderText, numberedText } from './memory-tool-text.ts';
import { SlowwaveProblem } from './problem.ts';

/** A command of Anthropic's memory tool `memory_20250818`, as a model gives it. */
export type MemoryToolCommand =
  | { command: 'view'; path: string; view_range?: readonly number[] | undefined }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str?: string | undefined }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; old_path: string; new_path: string };

type Of<Name extends MemoryToolCommand['command']> = Extract<MemoryToolCommand, { command: Name }>;

/** One function for each command, for `betaMemoryTool` of @anthropic-ai/sdk, and one for all of them, for SDKs that take an `execute`. */
export type MemoryToolHandlers = {
  [Name in MemoryToolCommand['command']]: (command: Of<Name>) => Promise<string>;
} & {
  execute(command: MemoryToolCommand): Promise<string>;
};

/** The operations of a client that the memory tool needs. */
export type MemoryToolClient = Pick<
  Client,
  'browseDocuments' | 'readDocument' | 'writeDocument' | 'removeDocument' | 'renameDocument'
>;

export interface MemoryToolOptions {
  /** With a token of role `write`. */
  client: MemoryToolClient;
  user: string;
  /** The workspace of the user whose files are the memory; it has to be there. */
  workspace: string;
  /** Only with a token of no tenant. */
  tenant?: string;
  /** Who writes, in the history of files. Absent: the name of the token. */
  by?: string;
}

/** How often a change is made anew on what another writer put there meanwhile. Each time some other change was made. */
const ATTEMPTS = 20;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof SlowwaveProblem && error.code === code;

type Standing =
  | { kind: 'file'; content: string; version: string }
  | { kind: 'folder'; entries: { path: string; size: number }[] }
  | { kind: 'none' };

/**
 * The commands of Anthropic's memory tool on the files of one workspace. Answers and errors have the words of the SDK's own tool on a local
 * file system. Every change of a text names the version that it was made of, so that agents who work at the same time lose nothing; every
 * change is a run of the workspace (work `files`), and undoing that run brings back what was deleted, renamed or overwritten.
 * Functions throw an Error for the model to read; a SlowwaveProblem is one.
 */
export function createMemoryToolHandlers(options: MemoryToolOptions): MemoryToolHandlers {
  const { client, user, workspace, tenant, by } = options;
  const where = { user, workspace, ...(tenant === undefined ? {} : { tenant }) };
  const writer = by === undefined ? {} : { by };

  /** @throws Error when a part of the path above its last one is a file */
  async function standingAt({ name, real }: MemoryPath): Promise<Standing> {
    for (let attempt = 1; ; attempt++) {
      const path = real;
      try {
        if (name === '') return { ...(await client.browseDocuments({ ...where, path })), kind: 'folder' };
        const { content, version = '' } = await client.readDocument({ ...where, path });
        return { kind: 'file', content, version };
      } catch (error) {
        if (!hasCode(error, 'NOT_FOUND')) throw error;
      }
      const { kind, entries } = await client.browseDocuments({ ...where, path });
      if (kind === 'below_file') throw new Error(`ENOTDIR: not a directory, realpath '${real}'`);
      if (kind === 'folder') return { kind, entries };
      if (kind === 'none' || attempt === ATTEMPTS) return { kind: 'none' };
      // Another writer made the file between the two looks.
    }
  }

  /** Writes what a file becomes, made of what stands there when it is written. */
  async function change(
    path: string,
    make: (content: string) => { content: string; answer: string },
  ): Promise<string> {
    const at = memoryPath(path);
    for (let attempt = 1; ; attempt++) {
      const stands = await standingAt(at);
      if (stands.kind === 'none')
        throw new Error(`The path ${path} does not exist. Please provide a valid path.`);
      if (stands.kind === 'folder') throw new Error(`The path ${path} is not a file.`);
      const { content, answer } = make(stands.content);
      const expectedVersion = stands.version;
      try {
        await client.writeDocument({
          ...where,
          path: at.real,
          content: stored(content),
          expectedVersion,
          ...writer,
        });
        return answer;
      } catch (error) {
        if (!hasCode(error, 'CONFLICT') || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** What is told of a rename that the service refused, or would. */
  async function renameRefused(from: MemoryPath, to: MemoryPath, of: Of<'rename'>): Promise<Error | null> {
    const old = await standingAt(from);
    const target = await standingAt(to);
    if (from.name === '') return new Error('Cannot rename the /memories directory itself');
    if (target.kind !== 'none') return new Error(`The destination ${of.new_path} already exists`);
    const isInside = to.name.startsWith(`${from.name}/`);
    if (old.kind !== 'none' && !isInside) return null;
    // The tool on a file system makes the folders above the new path before it looks at the old one.
    const above = to.real.slice(0, to.real.lastIndexOf('/') + 1);
    if (above !== '/memories/') {
      await client.writeDocument({ ...where, path: above, content: '', ...writer });
    }
    if (isInside) return new Error(`EINVAL: invalid argument, rename '${from.real}' -> '${to.real}'`);
    return new Error(`The path ${of.old_path} does not exist`);
  }

  const handlers: Omit<MemoryToolHandlers, 'execute'> = {
    async view({ path, view_range }) {
      const stands = await standingAt(memoryPath(path));
      if (stands.kind === 'none')
        throw new Error(`The path ${path} does not exist. Please provide a valid path.`);
      if (stands.kind === 'folder') return folderText(path, memoryPath(path).real, stands.entries);
      return numberedText(path, stands.content, view_range);
    },

    async create({ path, file_text }) {
      const at = memoryPath(path);
      for (let attempt = 1; ; attempt++) {
        try {
          if (at.name === '') throw new Error(`File ${path} already exists`);
          const content = stored(file_text);
          await client.writeDocument({ ...where, path: at.real, content, expectedVersion: null, ...writer });
          return `File created successfully at: ${path}`;
        } catch (error) {
          if (!hasCode(error, 'CONFLICT')) throw error;
          if ((await standingAt(at)).kind !== 'none') throw new Error(`File ${path} already exists`);
          if (attempt === ATTEMPTS) throw error;
        }
      }
    },

    str_replace: ({ path, old_str, new_str = '' }) =>
      change(path, (content) => {
        const lines = content.split('\n').flatMap((line, i) => (line.includes(old_str) ? [i + 1] : []));
        if (lines.length === 0) {
          throw new Error(
            `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`,
          );
        }
        if (lines.length > 1) {
          throw new Error(
            `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lines.join(', ')}. Please ensure it is unique`,
          );
        }
        const next = content.replace(old_str, () => new_str);
        return { content: next, answer: editedSnippet(next, lines[0]!) };
      }),

    insert: ({ path, insert_line, insert_text }) =>
      change(path, (content) => {
        const lines = content.split('\n');
        if (insert_line < 0 || insert_line > lines.length) {
          throw new Error(
            `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
          );
        }
        lines.splice(insert_line, 0, insert_text.replace(/\n$/, ''));
        return { content: lines.join('\n'), answer: `The file ${path} has been edited.` };
      }),

    async delete({ path }) {
      const at = memoryPath(path);
      if (at.name === '') throw new Error('Cannot delete the /memories directory itself');
      try {
        await client.removeDocument({ ...where, path: at.real, ...writer });
      } catch (error) {
        if (!hasCode(error, 'NOT_FOUND')) throw error;
        await standingAt(at);
        throw new Error(`The path ${path} does not exist`);
      }
      return `Successfully deleted ${path}`;
    },

    async rename(command) {
      const { old_path, new_path } = command;
      const from = memoryPath(old_path);
      const to = await targetOf(new_path, () => standingAt(from));
      for (let attempt = 1; ; attempt++) {
        try {
          if (from.name === '' || to.name === '' || to.name.startsWith(`${from.name}/`)) {
            throw (
              (await renameRefused(from, to, command)) ??
              new Error(`The destination ${new_path} already exists`)
            );
          }
          await client.renameDocument({ ...where, path: from.real, newPath: to.real, ...writer });
          return `Successfully renamed ${old_path} to ${new_path}`;
        } catch (error) {
          if (!hasCode(error, 'CONFLICT') && !hasCode(error, 'NOT_FOUND')) throw error;
          const refused = await renameRefused(from, to, command);
          if (refused !== null) throw refused;
          if (attempt === ATTEMPTS) throw error;
        }
      }
    },
  };

  return {
    ...handlers,
    async execute(command) {
      const handler = Object.hasOwn(handlers, command.command) ? handlers[command.command] : undefined;
      if (!handler) throw new Error(`${command.command} not implemented`);
      return handler(command as never);
    },
  };
}

/** The new path of a rename; the old one is looked at first, as the tool on a file system does. */
async function targetOf(path: string, lookFirst: () => Promise<unknown>): Promise<MemoryPath> {
  try {
    return memoryPath(path);
  } catch (error) {
    await lookFirst();
    throw error;
  }
}

/** As a file on disk would hold a text: half of a character becomes U+FFFD. */
const stored = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
