import {
  type Client,
  createClient,
  createMemoryToolHandlers,
  type MemoryToolHandlers,
} from '@slowwave/client';
import fc from 'fast-check';
import { expect } from 'vitest';
import { anyCommands, runBoth } from '../fixtures/memory-tool.ts';
import { TOKEN } from './harness.ts';
import { openWorkspaceStage, type WorkspaceStage } from './workspace-stage.ts';

export const KINDS = ['documents', 'folder'] as const;
export type Kind = (typeof KINDS)[number];

/** A workspace of ana with the memory tool on it. */
export interface ToolPlace {
  client: Client;
  where: { user: string; workspace: string };
  /** Of a folder on disk; null for documents in the database. */
  folder: string | null;
  handlers: MemoryToolHandlers;
}

/** A service over real HTTP in which the memory tool is used. */
export async function openToolStage(): Promise<{
  open: WorkspaceStage;
  url: string;
  log: WorkspaceStage['log'];
  made(kind: Kind): Promise<ToolPlace>;
  close(): Promise<void>;
}> {
  const open = await openWorkspaceStage();
  const { producer, log } = open.stage.newProducer({ folders: [open.root] });
  const { url } = await producer.listen();
  return {
    open,
    url,
    log,
    async made(kind) {
      const { name: workspace, folder } =
        kind === 'folder' ? await open.newFolder() : { name: await open.newDocuments(), folder: null };
      const client = createClient({ url, token: TOKEN });
      const where = { user: 'ana', workspace };
      return { client, where, folder, handlers: createMemoryToolHandlers({ client, ...where }) };
    },
    close: () => open.close(),
  };
}

/** Holds the tool to the one of the SDK, for so many sequences of commands. */
export async function expectOracle(made: () => Promise<ToolPlace>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyCommands, async (commands) => {
      const { ours, theirs } = await runBoth(commands, await made());
      expect(ours).toEqual(theirs);
    }),
    { numRuns },
  );
}
