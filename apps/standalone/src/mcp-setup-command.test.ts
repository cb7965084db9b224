import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '@slowwave/config';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_HOSTS, type McpHost, mcpSetupCommand } from './mcp-setup-command.ts';

interface Given {
  write?: string;
  remote?: typeof SERVICE;
  url?: string;
  json?: boolean;
}

const SERVICE = { url: 'https://memory.example', token: 'swt_secret' };

describe('slowwave mcp setup', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-setup-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function setup(host: McpHost, more: Given = {}) {
    const lines: string[] = [];
    const hints: string[] = [];
    const terminal = {
      line: (text = '') => void lines.push(text),
      error: (text: string) => void hints.push(text),
    };
    const env = more.url ? { DATABASE_URL: more.url } : { SLOWWAVE_DATA_DIR: 'some/folder' };
    const context = {
      config: readConfig(env),
      logger: pino({ level: 'silent' }),
      terminal: terminal as never,
      remote: more.remote ?? null,
    };
    const given = more.write === undefined ? {} : { write: more.write };
    const { json = true } = more;
    const code = await mcpSetupCommand(context, { host, user: 'zoe', json, ...given });
    const text = lines.join('\n');
    return { code, told: json ? JSON.parse(text) : null, text, hint: hints.join('\n') };
  }
  const files = MCP_HOSTS.filter((host) => host !== 'chatgpt');

  it.each(files)(
    '%s: a command and a data folder that hold in whatever folder the host starts',
    async (host) => {
      const { told } = await setup(host);
      const [{ slowwave }] = Object.values(told) as [
        { slowwave: { command: string; args: string[]; env: object } },
      ];
      expect(slowwave.command).toBe(process.execPath);
      expect(path.isAbsolute(slowwave.args[0]!)).toBe(true);
      expect(slowwave.args.slice(1)).toEqual(['mcp', '--user', 'zoe']);
      expect(slowwave.env).toEqual({ SLOWWAVE_DATA_DIR: path.resolve('some/folder') });
    },
  );

  it.each(MCP_HOSTS)(
    '%s: a service somewhere else by its address, and its token nowhere in print',
    async (host) => {
      const { text } = await setup(host, { remote: SERVICE });
      expect(text).toContain(SERVICE.url);
      expect(text).not.toContain(SERVICE.token);
    },
  );

  it('chatgpt: it sends no token of ours, and the hint says what has to stand in front', async () => {
    const { text, hint } = await setup('chatgpt', { remote: SERVICE, json: false });
    expect(text).toBe('https://memory.example/mcp/zoe?for=chatgpt');
    expect(hint).toMatch(/OAuth.*a gateway.*adds a token of the role read/);
  });

  it('--write: beside what stands there, for its owner alone', async () => {
    const file = path.join(folder, 'servers.json');
    await writeFile(file, '{"theme":"dark","mcpServers":{"other":{"command":"x"}}}');
    await setup('cursor', { write: file });
    await setup('cursor', { write: file });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      theme: 'dark',
      mcpServers: { other: { command: 'x' }, slowwave: { command: process.execPath } },
    });
    expect((await stat(file)).mode & 0o077).toBe(0);
    await setup('vscode', { write: path.join(folder, 'new.json') });
    expect(await readFile(path.join(folder, 'new.json'), 'utf8')).toContain('"servers"');
  });

  it.each(['{', '[]', '{"mcpServers":[]}'])(
    '--write: a file of %s stays as it is, with what is wrong',
    async (text) => {
      const file = path.join(folder, 'wrong.json');
      await writeFile(file, text);
      await expect(setup('cursor', { write: file })).rejects.toThrow(/nothing was written/);
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it('a database that a service serves: the service has to be named', async () => {
    await expect(setup('cursor', { url: 'postgres://u:p@localhost/db' })).rejects.toThrow(/SLOWWAVE_URL/);
  });
});
