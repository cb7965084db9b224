import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createClient } from '@slowwave/client';
import { createMcpServer, type McpAccess, serveSubscriptions, watchNights } from '@slowwave/mcp';
import type { CommandContext } from './anywhere.ts';
import { ANY_SERVICE, connectMcp } from './mcp-connection.ts';
import { UsageError } from './usage-error.ts';
import { VERSION } from './version.ts';

/** A host may start a process only to ask which protocol it speaks, and end it at once: no folder is opened for that. */
const START_AFTER_MS = 1_000;

export interface McpArguments {
  /** Whose memories; absent: each call names the user. */
  user?: string;
  speaksForUser: boolean;
  chatgpt: boolean;
}

/**
 * Serves MCP over standard input and output until the host closes them.
 * @throws UsageError
 */
export async function mcpCommand(
  { config, logger, remote = null }: CommandContext,
  { user, speaksForUser, chatgpt }: McpArguments,
): Promise<null> {
  if (remote !== null && speaksForUser) {
    throw new UsageError(
      'of a service somewhere else the token says so: slowwave token create --speaks-for-user',
    );
  }
  // Standard output is the protocol's: what anything else prints would end the connection.
  console.log = console.error;
  const connection = connectMcp({ config, logger, remote });
  const client = createClient({ url: ANY_SERVICE, token: 'of the connection', fetch: connection.fetch });
  // The folder of this machine is its user's own; elsewhere the token says what it may.
  const local = { role: 'admin', speaksForUser, actor: 'an agent over MCP' } as const;
  const accessOf = async (): Promise<McpAccess> => ({
    client,
    user: user ?? null,
    forChatGpt: chatgpt,
    tellsOfNights: user !== undefined,
    version: VERSION,
    ...(remote === null ? local : { ...(await client.readToken()), actor: null }),
  });
  let isClosing = false;
  const ends = new AbortController();
  let tell: (uri: string) => void = () => undefined;
  let isBeginning = false;

  /** The first look for nights also starts the service of the folder, as any call would. */
  function begin(): void {
    if (user !== undefined)
      void watchNights({ client, user, signal: ends.signal, changed: (uri) => tell(uri) });
    else if (remote === null) client.getLiveness().catch(() => undefined);
  }

  const handle = serveStdio(
    async ({ era }) => {
      if (!isBeginning) setTimeout(begin, START_AFTER_MS).unref();
      isBeginning = true;
      const server = createMcpServer(await accessOf());
      if (user !== undefined) tell = serveSubscriptions(server, era);
      return server;
    },
    {
      onerror: (error) => logger.error({ name: error.name }, 'a message of the host was not understood'),
    },
  );
  async function end(): Promise<void> {
    if (isClosing) return;
    isClosing = true;
    ends.abort();
    await handle.close();
    await connection.close();
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => void end());
  }
  process.stdin.once('end', () => void end());
  process.stdin.once('close', () => void end());
  return null;
}
