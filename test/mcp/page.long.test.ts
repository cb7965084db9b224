import { PAGE_TYPE, PAGE_URI } from '@slowwave/mcp';
import { createOfflineEmbedder } from '@slowwave/models';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStatementModel } from '../fakes/statement-model.ts';
import { openBrowser } from '../fixtures/browser.ts';
import { runTier } from '../fixtures/tier-runs.ts';
import { callTool, type McpStage, openMcpStage } from './stage.ts';

const LIE = 'Ana sold the boat; it is red, and she will not miss it.';
const HENS = 'Ana keeps two hens in the garden; brown Frieda is one.';
const NOTES = [
  'Ana keeps two hens in the garden.',
  'One of the hens that Ana keeps is called Frieda.',
  'Frieda, a hen of Ana, is brown.',
  'Ana has a boat <img src=x onerror="document.title=1">.',
  'The boat of Ana is red, <b>and small</b>.',
];

/** What a host does: shows the page without an origin, answers it, and passes its calls of tools on. In the browser. */
const HOST = `({ html, result, theme }) => {
  const frame = document.querySelector('iframe');
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', async ({ data }) => {
    if (data.method === 'ui/initialize') send({ id: data.id, result: { hostContext: { theme } } });
    if (data.method === 'ui/notifications/initialized') {
      send({ method: 'ui/notifications/tool-input', params: { arguments: {} } });
      send({ method: 'ui/notifications/tool-result', params: result });
    }
    if (data.method === 'tools/call') {
      send({ id: data.id, result: await callTool(data.params.name, data.params.arguments) });
    }
  });
  frame.srcdoc = html;
}`;

describe('the page of the last night', () => {
  let stage: McpStage;
  let browser: Browser;
  beforeAll(async () => {
    stage = await openMcpStage({ embedder: createOfflineEmbedder() });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.dispose();
  });

  it.each(['light', 'dark'] as const)('%s: what was joined, what was refused, and Undo', async (theme) => {
    const user = `page-${theme}`;
    const client = await stage.connect({ user });
    for (const content of NOTES) await callTool(client, 'add_memory', { content });
    const asked = await callTool(client, 'run_consolidation', { tier: 'sleep', preview: false });
    const about = (notes: readonly { n: number; text: string }[], pattern: RegExp) =>
      notes.filter(({ text }) => pattern.test(text)).map(({ n }) => n);
    await runTier(
      stage.database,
      { tenant: 't', user, tier: 'sleep', at: Date.now() + 86_400_000, runId: asked.data.run_id },
      {
        provider: createStatementModel({
          write: (notes) => ({
            statements: [
              { sources: about(notes, /hen/), text: HENS },
              { sources: about(notes, /boat/), text: LIE },
            ].filter(({ sources }) => sources.length > 1),
            conflicts: [],
          }),
          judge: ({ statement }) => (statement === LIE ? 'changed' : 'same'),
        }),
        statements: { judge: true },
      },
    );
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === 'get_consolidation')!;
    expect(tool._meta).toMatchObject({ ui: { resourceUri: PAGE_URI } });
    const { contents } = await client.readResource({ uri: PAGE_URI });
    expect(contents[0]).toMatchObject({ mimeType: PAGE_TYPE });
    const night = await client.callTool({ name: 'get_consolidation', arguments: {} });

    const page = await browser.newPage({ colorScheme: theme, viewport: { width: 640, height: 900 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.exposeFunction('callTool', (name: string, args: Record<string, unknown>) =>
      client.callTool({ name, arguments: args }),
    );
    await page.setContent(
      '<iframe sandbox="allow-scripts" style="width:600px;height:860px;border:0"></iframe>',
    );
    const shown = { html: (contents[0] as { text: string }).text, result: night, theme };
    await page.evaluate(`(${HOST})(${JSON.stringify(shown)})`);
    const view = page.frameLocator('iframe');
    await view.getByRole('heading', { name: 'The last night' }).waitFor();
    expect(await view.locator('article').allInnerTexts()).toEqual([
      expect.stringContaining(HENS),
      expect.stringContaining(LIE),
    ]);
    expect(await view.locator('img, b').count()).toBe(0);
    expect(await view.locator('.why').innerText()).toMatch(/^floor: /);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/night-${theme}.png` });
    await view.getByRole('button', { name: 'Undo' }).click();
    await view.getByText('Undone: 3 memories are back.').waitFor();
    expect((await callTool(client, 'list_memories')).data.memories).toHaveLength(5);
    expect(errors).toEqual([]);
    await page.close();
  });
});
