import { existsSync, realpathSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from './anywhere.ts';
import { EXIT } from './exit.ts';
import type { Remote } from './remote.ts';
import { UsageError } from './usage-error.ts';

export const MCP_HOSTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'chatgpt'] as const;
export type McpHost = (typeof MCP_HOSTS)[number];

export interface McpSetupArguments {
  host: McpHost;
  user: string;
  /** The host's file of servers, which gets an entry; absent: the entry is printed. */
  write?: string;
  json: boolean;
}

interface HostFile {
  file: string;
  key: string;
  /** Whether an entry says of which kind it is. */
  named: boolean;
  /** How the file names a variable of the environment; null: it reaches services by a program of this machine alone. */
  variable: ((name: string) => string) | null;
  next: string;
}

/** Where each host keeps its servers, and under which name. */
const HOSTS: Record<Exclude<McpHost, 'chatgpt'>, HostFile> = {
  'claude-code': {
    file: '.mcp.json of the project',
    key: 'mcpServers',
    named: true,
    variable: (name) => `\${${name}}`,
    next: 'or for every project: claude mcp add-json --scope user slowwave \'…\', with what stands behind "slowwave"',
  },
  'claude-desktop': {
    file: 'claude_desktop_config.json (Settings, Developer, Edit config)',
    key: 'mcpServers',
    named: false,
    variable: null,
    next: 'then quit Claude Desktop and start it again',
  },
  cursor: {
    file: '~/.cursor/mcp.json, or .cursor/mcp.json of the project',
    key: 'mcpServers',
    named: false,
    variable: (name) => `\${env:${name}}`,
    next: 'then switch it on in Settings, MCP',
  },
  vscode: {
    file: '.vscode/mcp.json of the workspace',
    key: 'servers',
    named: true,
    variable: (name) => `\${env:${name}}`,
    next: 'then start it from that file, and choose its tools in agent mode',
  },
};

type Entry = Record<string, unknown>;
const TOKEN = 'SLOWWAVE_TOKEN';

/** What a host needs to know: a command that works from whatever folder it is started in, or the address of a service. */
function entryOf(
  { named, variable }: HostFile,
  of: { user: string; remote: Remote | null; dataDir: string | null; shown: boolean },
): Entry {
  const { user, remote, dataDir, shown } = of;
  if (remote !== null && variable !== null) {
    return {
      ...(named ? { type: 'http' } : {}),
      url: `${remote.url}/mcp/${encodeURIComponent(user)}`,
      // The token stays out of a file that may be checked in.
      headers: { Authorization: `Bearer ${variable(TOKEN)}` },
    };
  }
  return {
    ...(named ? { type: 'stdio' } : {}),
    command: process.execPath,
    args: [realpathSync(process.argv[1]!), 'mcp', '--user', user],
    env:
      remote === null
        ? { SLOWWAVE_DATA_DIR: dataDir }
        : { SLOWWAVE_URL: remote.url, [TOKEN]: shown ? 'YOUR-TOKEN' : remote.token },
  };
}

/**
 * Prints the configuration by which a host of agents finds Slowwave, or writes it into the host's file beside what stands there.
 * @returns exit code
 * @throws UsageError for a file that holds no JSON object, or a host that reaches no program of this machine
 */
export async function mcpSetupCommand(
  { config, remote = null, terminal }: CommandContext,
  { host, user, write, json }: McpSetupArguments,
): Promise<number> {
  if (host === 'chatgpt') {
    const address = `${remote?.url ?? 'https://YOUR-SERVICE'}/mcp/${encodeURIComponent(user)}?for=chatgpt`;
    if (json) terminal.line(JSON.stringify({ url: address }));
    else {
      terminal.line(address);
      terminal.error(
        'ChatGPT reaches services by https, signs in with OAuth and sends no other token: put a gateway in front that signs the user in with OAuth and adds a token of the role read, and give ChatGPT its address with this path under Settings, Connectors',
      );
    }
    return EXIT.ok;
  }
  const { file, key, next } = HOSTS[host];
  const dataDir = config.database.kind === 'embedded' ? path.resolve(config.database.dataDir) : null;
  if (remote === null && dataDir === null) {
    throw new UsageError('with DATABASE_URL, say where the service runs: SLOWWAVE_URL and SLOWWAVE_TOKEN');
  }
  const entry = entryOf(HOSTS[host], { user, remote, dataDir, shown: write === undefined });
  if (write !== undefined) {
    await addServer(path.resolve(write), key, entry);
    if (json) terminal.line(JSON.stringify({ written: path.resolve(write) }));
    else terminal.line(`slowwave stands in ${path.resolve(write)} now; ${next}`);
    return EXIT.ok;
  }
  const whole = { [key]: { slowwave: entry } };
  terminal.line(json ? JSON.stringify(whole) : JSON.stringify(whole, null, 2));
  if (!json) terminal.error(`put this into ${file}, or say --write FILE; ${next}`);
  return EXIT.ok;
}

/** Adds one server to a file, and leaves all others as they are. @throws UsageError */
async function addServer(file: string, key: string, entry: Entry): Promise<void> {
  const isObject = (value: unknown): value is Entry =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  let whole: unknown = {};
  if (existsSync(file)) {
    try {
      whole = JSON.parse(await readFile(file, 'utf8'));
    } catch {
      throw new UsageError(`${file} is no JSON: nothing was written; put the entry in by hand`);
    }
  }
  if (!isObject(whole) || !(whole[key] === undefined || isObject(whole[key]))) {
    throw new UsageError(`${file} holds no servers under "${key}": nothing was written`);
  }
  const changed = { ...whole, [key]: { ...whole[key], slowwave: entry } };
  const aside = `${file}.${process.pid}.tmp`;
  await writeFile(aside, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, file);
}
