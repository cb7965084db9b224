import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startToolCallingModel, type WantedCall } from '../fakes/tool-calling-model.ts';
import { ROOT } from '../fixtures/processes.ts';
import { INSTALL_MS, PEERS, type PeerResult, type Peers, providePeers, runPeer } from './peers.ts';
import { callTool, clientOf, type McpStage, openMcpStage, tokenOf } from './stage.ts';

const AGENTS = await readFile(path.join(ROOT, 'docs/how-to/agents.md'), 'utf8');
const MEMORY_TOOL = await readFile(path.join(ROOT, 'docs/how-to/memory-tool.md'), 'utf8');

/** The blocks of code of a language below a heading. */
function blocksBelow(page: string, heading: string, language: string): string[] {
  const [, below = ''] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [section] = below.split(/^#+ /m);
  const blocks = [...section!.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text!,
  );
  if (blocks.length === 0) throw new Error(`there is no ${language} below ${heading}`);
  return blocks;
}

interface Recipe {
  name: string;
  text: string;
  /** Where it asks its model, of a fake at this address. */
  model: (url: string) => Record<string, string>;
}

const ANTHROPIC = (url: string) => ({ ANTHROPIC_BASE_URL: url });
const AI_SDK = (url: string) => ({ ANTHROPIC_BASE_URL: `${url}/v1` });
const OPENAI = (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_AGENTS_DISABLE_TRACING: '1' });

const TOOL_RECIPES: Recipe[] = (
  [
    ['AI SDK', AI_SDK],
    ['LangChain', ANTHROPIC],
    ['OpenAI Agents', OPENAI],
    ['Claude Agent SDK', ANTHROPIC],
  ] as const
).map(([name, model]) => ({ name, model, text: blocksBelow(AGENTS, name, 'ts')[0]! }));

const setUp = blocksBelow(MEMORY_TOOL, 'Setting up', 'ts')[0]!;
const MEMORY_RECIPES: Recipe[] = (
  [
    ['With the Anthropic SDK', ANTHROPIC],
    ['With the AI SDK', AI_SDK],
    ['With LangChain', ANTHROPIC],
  ] as const
).map(([name, model]) => ({ name, model, text: setUp + blocksBelow(MEMORY_TOOL, name, 'ts')[0]! }));

const named = (recipes: Recipe[]) => recipes.map((recipe) => [recipe.name, recipe] as const);
const fileOf = ({ name }: Recipe): string => name.toLowerCase().replaceAll(' ', '-');

/** No recipe reaches a model elsewhere, and no program tells its maker of its use. */
const AT_HOME = {
  ANTHROPIC_API_KEY: 'key-of-a-test',
  OPENAI_API_KEY: 'key-of-a-test',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** Each recipe is a strict program of its own. What the packages declare is taken as it is. */
const TSCONFIG = {
  extends: path.join(ROOT, 'tsconfig.base.json'),
  compilerOptions: { noEmit: false, noEmitOnError: true, allowImportingTsExtensions: false },
  include: ['*.ts'],
};

describe('the recipes of docs/how-to, on the packages that they are for', () => {
  let peers: Peers;
  let stage: McpStage;
  /** Of the service, for what a user exports. */
  let remote: { SLOWWAVE_URL: string; SLOWWAVE_TOKEN: string };
  let folder: string;
  let types: PeerResult;

  beforeAll(async () => {
    peers = await providePeers();
    folder = await mkdtemp(path.join(peers.folder, 'recipes-'));
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    for (const recipe of [...TOOL_RECIPES, ...MEMORY_RECIPES])
      await writeFile(path.join(folder, `${fileOf(recipe)}.ts`), recipe.text);
    types = await runPeer(peers, `'${ROOT}/node_modules/.bin/tsc' -p .`, { cwd: folder });
    stage = await openMcpStage({ embedder: createOfflineEmbedder() });
    const { url } = await stage.producer.listen();
    const token = await tokenOf(stage.database, { tenant: 't', role: 'write' });
    remote = { SLOWWAVE_URL: url, SLOWWAVE_TOKEN: token };
    // A workspace is of a user who is there.
    await callTool(await stage.connect({ user: 'zoe' }), 'add_memory', { content: 'Zoe keeps two hens.' });
  }, INSTALL_MS);
  afterAll(async () => {
    await stage?.dispose();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command whose model asks for these calls. @returns what it printed, which tells what the last of them answered */
  async function runWithModel(
    command: string,
    calls: WantedCall[],
    { cwd, env }: { cwd: string; env: (url: string) => Record<string, string> },
  ): Promise<string> {
    const model = await startToolCallingModel(calls);
    try {
      const result = await runPeer(peers, command, { cwd, env: { ...AT_HOME, ...env(model.url) } });
      expect({ ...result, stdout: '' }).toMatchObject({ code: 0 });
      return result.stdout;
    } finally {
      await model.stop();
    }
  }

  const remembering = (sentence: string): WantedCall[] => [
    { tool: 'add_memory', input: { content: sentence, category: 'fact' } },
    { tool: 'search_memories', input: { query: sentence } },
  ];

  /** A folder in which a user works; over stdio, its data folder is made by the first start. */
  async function project(name: string): Promise<string> {
    const cwd = path.join(folder, name);
    await mkdir(cwd, { recursive: true });
    return cwd;
  }

  it('types: each recipe passes the strict check', () => {
    expect(types).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  const claudeCode = () =>
    `'${peers.folder}/node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude'`;

  it('docs: the table names the versions that are run', async () => {
    const { dependencies } = JSON.parse(await readFile(path.join(PEERS, 'package.json'), 'utf8'));
    const table = AGENTS.split('## What was run')[1];
    for (const [name, version] of Object.entries(dependencies)) expect(table).toContain(`${name} ${version}`);
    const { stdout } = await runPeer(peers, `${claudeCode()} --version`, { cwd: folder });
    expect(table).toContain(`Claude Code | ${stdout.split(' ')[0]} |`);
  });

  it.each(named(TOOL_RECIPES))(
    '%s: its model writes and finds a memory at /mcp/{user}',
    async (_, recipe) => {
      const sentence = `Zoe moved to Utrecht in May, as ${recipe.name} heard.`;
      const env = (url: string) => ({ ...remote, ...recipe.model(url) });
      const output = await runWithModel(`node ../${fileOf(recipe)}.js`, remembering(sentence), {
        cwd: await project('service'),
        env,
      });
      expect(output).toContain(sentence);
      const client = await stage.connect({ user: 'zoe', role: 'read' });
      const { data } = await callTool(client, 'search_memories', { query: sentence, limit: 1 });
      expect(data.memories).toMatchObject([{ content: sentence, origin: 'assistant' }]);
    },
  );

  it.each(named(TOOL_RECIPES))('%s: its model writes and finds a memory over stdio', async (_, recipe) => {
    const sentence = `Zoe moved to Utrecht in May, as ${recipe.name} heard.`;
    const output = await runWithModel(`node ../${fileOf(recipe)}.js`, remembering(sentence), {
      cwd: await project('here'),
      env: recipe.model,
    });
    expect(output).toContain(sentence);
  });

  it.each(named(MEMORY_RECIPES))('%s: its model makes a file and views it', async (_, recipe) => {
    const file = `/memories/${fileOf(recipe)}.md`;
    const text = `Zoe likes green tea, as was heard ${recipe.name}.`;
    const calls = [
      { tool: 'memory', input: { command: 'create', path: file, file_text: text } },
      { tool: 'memory', input: { command: 'view', path: file } },
    ];
    const env = (url: string) => ({ ...remote, ...recipe.model(url) });
    const output = await runWithModel(`node ../${fileOf(recipe)}.js`, calls, {
      cwd: await project('service'),
      env,
    });
    expect(output).toContain(text);
  });

  describe('hosts, by the entry of slowwave mcp setup', () => {
    const setup = async (host: string, cwd: string, env: Record<string, string> = {}, more = '') =>
      runPeer(peers, `npx slowwave mcp setup ${host} --user zoe ${more}`, { cwd, env });

    it.each(['claude-code', 'claude-desktop', 'cursor', 'vscode'])(
      '%s: the printed command starts, and lists its tools',
      async (host) => {
        const cwd = await project('printed');
        const printed = JSON.parse((await setup(host, cwd)).stdout);
        const { command, args, env } = (printed.mcpServers ?? printed.servers).slowwave;
        const client = clientOf({ era: 'legacy' });
        await client.connect(new StdioClientTransport({ command, args, env, stderr: 'pipe' }));
        const names = (await client.listTools()).tools.map(({ name }) => name);
        expect(names).toContain('search_memories');
        await client.close();
      },
    );

    it('docs: the entry of a service somewhere else is the printed one', async () => {
      const env = { SLOWWAVE_URL: 'https://memory.example', SLOWWAVE_TOKEN: remote.SLOWWAVE_TOKEN };
      const { stdout } = await setup('claude-code', await project('printed'), env);
      expect(blocksBelow(AGENTS, 'Host by host', 'json')).toEqual([stdout]);
    });

    describe.each(['service', 'here'])('the written .mcp.json, %s', (place) => {
      let cwd: string;
      let env: Record<string, string>;
      beforeAll(async () => {
        cwd = await project(`host-${place}`);
        env = place === 'service' ? remote : { SLOWWAVE_DATA_DIR: path.join(folder, 'here/.slowwave') };
        expect(await setup('claude-code', cwd, env, '--write .mcp.json')).toMatchObject({ code: 0 });
      });

      it('Claude Code: its model writes and finds a memory', async () => {
        const sentence = `Zoe moved to Utrecht in May, as Claude Code heard ${place}.`;
        const allowed = 'mcp__slowwave__search_memories mcp__slowwave__add_memory';
        // The fake does not search for tools.
        const output = await runWithModel(
          `${claudeCode()} -p 'Where do I live?' --mcp-config .mcp.json --allowedTools ${allowed} < /dev/null`,
          remembering(sentence),
          { cwd, env: (url) => ({ ...env, ...ANTHROPIC(url), ENABLE_TOOL_SEARCH: 'false' }) },
        );
        expect(output).toContain(sentence);
      });

      it('the Inspector: the commands of the page end with 0, and a refused call with 5', async () => {
        const [here, service] = blocksBelow(AGENTS, 'The Inspector', 'sh');
        const block = place === 'here' ? here : service;
        const [list, call] = block!.replaceAll('\\\n', '').split('\n');
        expect(await runPeer(peers, list!, { cwd, env })).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('add_memory'),
        });
        expect(await runPeer(peers, call!, { cwd, env })).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('memories'),
        });
        const refused = call!.replace('search_memories', 'get_memory').replace('query', 'id');
        expect(await runPeer(peers, refused, { cwd, env })).toMatchObject({
          code: 5,
          stdout: expect.stringContaining('unknown_memory'),
        });
      });
    });
  });
});
