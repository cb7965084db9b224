import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pageFusions } from '@slowwave/db';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BackendFixture, openOnRedis } from '../fixtures/backends.ts';
import { openBrowser } from '../fixtures/browser.ts';
import {
  failFusion,
  HOSTILE,
  seedDispute,
  seedHostile,
  seedReview,
  startUnsteadyModel,
  TENANT,
  type UnsteadyModel,
} from '../fixtures/dashboard.ts';
import { until } from '../fixtures/wait.ts';
import { startWorker, type WorkerFixture } from '../fixtures/workers.ts';
import { inScope, SCOPE } from '../scope.ts';
import { type Stage, stageOf, TOKEN } from './harness.ts';

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

/** Whose fusion the model failed at. */
const FAILED = 'dora';

describe('the dashboard in a browser', { timeout: 180_000 }, () => {
  let backend: BackendFixture;
  let stage: Stage;
  let browser: Browser;
  let worker: WorkerFixture;
  let model: UnsteadyModel;
  let url = '';
  let axe = '';
  const outside: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    backend = await openOnRedis();
    stage = stageOf(backend);
    model = await startUnsteadyModel();
    worker = await startWorker(backend, model.provider);
    await failFusion(backend, FAILED);
    ({ url } = await stage.newProducer().producer.listen());
    browser = await openBrowser();
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  });
  afterEach(() => {
    expect({ outside: outside.splice(0), complaints: complaints.splice(0) }).toEqual({
      outside: [],
      complaints: [],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await worker?.close();
    await model?.server.stop();
    await stage?.dispose();
  });

  /** The page of a person who has signed in. A new one for each test would make the browser load and compile everything again. */
  let signed: Page | undefined;

  /** What pages of the context ask of others, and what they complain about, is noted. */
  async function newPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(60_000);
    context.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== url)
        outside.push(request.url());
    });
    context.on('weberror', (thrown) => complaints.push(thrown.error().message));
    return context.newPage();
  }

  async function signedIn(): Promise<Page> {
    if (signed) {
      await signed.goto(`${url}/dashboard`);
      return signed;
    }
    const page = await newPage();
    await page.goto(`${url}/login?next=/dashboard`);
    await page.getByLabel('Token').fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${url}/dashboard`);
    signed = page;
    return page;
  }

  /** The key of the fusion that was approved and undone. */
  let undone = '';
  const heading = (page: Page) => page.locator('h1').innerText();
  const state = (page: Page) => page.locator('.head .mark').first().innerText();

  it('approves a fusion and undoes it, after showing what would happen', async () => {
    const key = await seedReview(backend.database, 'ana');
    undone = key;
    const page = await signedIn();
    await page.getByRole('link', { name: /^Reviews/ }).click();
    await page.getByRole('link', { name: `Fusion ${key.slice(0, 8)}` }).click();
    expect(await state(page)).toBe('waits for review');
    expect(await page.locator('blockquote.derived').innerText()).toContain('$1,200');
    const marked = page.locator('blockquote.derived mark');
    expect(await marked.allInnerTexts()).toEqual(
      expect.arrayContaining(['$1,200', '3 May 2024', 'Marie Duval', '18:30', 'never']),
    );

    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The fusion is approved and applied.').waitFor();
    expect(await state(page)).toBe('applied');
    await page.getByRole('group', { name: /^Lineage/ }).waitFor();

    await page.getByRole('link', { name: 'Undo…' }).click();
    expect(await heading(page)).toBe('Undo');
    expect(await page.getByText('nothing has been changed yet').count()).toBe(1);
    const before = await backend.database.withTenant(TENANT, (tx) =>
      pageFusions(tx, { tenant: TENANT, user: 'ana', limit: 1 }),
    );
    expect(before.rows[0]?.status).toBe('applied');
    await page.getByRole('button', { name: 'Undo it' }).click();
    await page.getByText('It is taken back.').waitFor();
    expect(await state(page)).toBe('undone');
  });

  it('settles a conflict as a person chooses', async () => {
    await seedDispute(backend.database, 'bea');
    const page = await signedIn();
    await page.getByRole('link', { name: /^Conflicts/ }).click();
    await page.getByRole('link', { name: 'home city' }).click();
    const [one, other] = await page.locator('article blockquote bdi.text').allInnerTexts();
    expect([one, other].sort()).toEqual(['bea lives in Oslo.', 'bea lives in York.']);
    const choice = one?.includes('Oslo') ? 'A holds' : 'B holds';
    await page.getByRole('radio', { name: choice }).check();
    await page.getByLabel(/^Note/).fill('she moved');
    await page.getByRole('button', { name: 'Settle' }).click();
    await page.getByText('The conflict is settled.').waitFor();
    expect(await state(page)).toBe('settled');
    expect(await page.locator('article').innerText()).toContain('she moved');
    const holding = page.locator('blockquote', { hasText: 'holds' });
    expect(await holding.locator('bdi.text').innerText()).toBe('bea lives in Oslo.');
  });

  // Bull Board's own pages take a browser as long as all of ours; board.test.ts asks for what they ask for.
  it.each(inScope({ change: [], rest: [FAILED] }))(
    'goes from the failed fusion of %s to its job on Bull Board and back, and retries it there',
    async (user) => {
      model.recover();
      const page = await signedIn();
      await page.goto(`${url}/dashboard/failed`);
      await page.getByRole('rowheader').getByRole('link').click();
      expect(await state(page)).toBe('failed');
      expect(await page.locator('.notice').innerText()).toContain('The model could not be asked.');
      const fusionAddress = page.url();
      await page.getByRole('link', { name: 'Job in the queue' }).click();
      await page.getByText('provider_error_invalid_request').first().waitFor();
      const back = page.locator(`a[href="${new URL(fusionAddress).pathname}"]`).first();
      // The buttons of a job bear signs and no names; the first one of its head runs it again.
      const head = page
        .locator('div')
        .filter({ has: back })
        .filter({ has: page.locator('button') })
        .last();
      // The way back comes first: a job that is done is removed, and the board then knows no fusion of it.
      const [again] = await Promise.all([page.context().waitForEvent('page'), back.click()]);
      await again.waitForURL(fusionAddress);
      await head.locator('button').first().click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await until('the fusion to be applied', async () => {
        const { rows } = await backend.database.withTenant(TENANT, (tx) =>
          pageFusions(tx, { tenant: TENANT, user, limit: 1 }),
        );
        return rows[0]?.status === 'applied';
      });
      await again.reload();
      expect(await state(again)).toBe('closed');
      expect(await again.locator('#statements ~ * li, section:has(#statements) li').count()).toBeGreaterThan(
        0,
      );
      expect(await again.locator('blockquote.derived').innerText()).toContain('cello');
      await again.close();
    },
  );

  it('shows memories that are markup, script and turned text as text', async () => {
    await seedHostile(backend.database, 'eve <b>"\'&');
    const page = await signedIn();
    await page.goto(`${url}/dashboard/users/${encodeURIComponent('eve <b>"\'&')}`);
    expect(await heading(page)).toBe('eve <b>"\'&');
    const shown = await page
      .locator('section[aria-labelledby="memories"] table bdi.text')
      .evaluateAll((all) => all.map((each) => each.textContent));
    expect(shown.sort()).toEqual([...HOSTILE].sort());
    for (const link of await page.locator('section[aria-labelledby="memories"] table a').all()) {
      expect(await link.getAttribute('href')).toMatch(/^\/dashboard\/users\/eve/);
    }
    await page.locator('section[aria-labelledby="memories"] table a').first().click();
    expect(HOSTILE).toContain(
      await page.locator('#words ~ blockquote bdi').evaluate((each) => each.textContent),
    );
    expect(await page.locator('script:not([src]), main img, main svg[onload], iframe').count()).toBe(0);
    expect(await page.evaluate(() => (globalThis as { hurt?: number }).hurt)).toBeUndefined();
  });

  it('lets nobody in without a session, from another origin or under another Host', async () => {
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(url + path, { headers, redirect: 'manual' });
    for (const path of ['/dashboard', '/dashboard/users/ana', '/board']) {
      const reply = await get(path);
      expect([reply.status, reply.headers.get('location')]).toEqual([
        302,
        expect.stringContaining('/login?next='),
      ]);
    }
    const page = await signedIn();
    const [session] = (await page.context().cookies()).filter(({ name }) => name === 'slowwave_session');
    const cookie = `slowwave_session=${session!.value}`;
    expect(session).toMatchObject({ sameSite: 'Strict', httpOnly: true });
    for (const path of ['/dashboard', '/board/api/queues']) {
      expect((await get(path, { cookie })).status).toBe(200);
      expect((await get(path, { cookie, origin: 'http://evil.test' })).status).toBe(403);
      expect(
        (await get(path, { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).status,
      ).toBe(403);
    }
    // Our own page, but no form that it showed to this session.
    const form = await fetch(`${url}/dashboard/users/ana/pause`, {
      method: 'POST',
      headers: { cookie, origin: url, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'form=forged',
      redirect: 'manual',
    });
    expect([form.status, await form.text()]).toEqual([403, expect.stringContaining('foreign_form')]);
  });

  it('works by keys alone, and without a script', async () => {
    const page = await signedIn();
    await page.goto(`${url}/dashboard/users`);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboard\/users\/ana/);
    const plain = await newPage({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    await plain.goto(`${url}/dashboard/users/ana`);
    await plain.getByRole('button', { name: 'Pause' }).click();
    await plain.getByText('Paused.').waitFor();
    await plain.getByRole('button', { name: 'Resume' }).click();
    await plain.getByText('Resumed.').waitFor();
  });

  it('has no serious accessibility finding on the pages tried, light or dark, and needs no sideways scrolling at 400 pixels', async () => {
    const wide = { width: 1280, height: 900 };
    const page = await signedIn();
    const all = await addresses(page);
    // The last ones have every kind of mark, and with them every colour.
    const tried = SCOPE === 'rest' ? all : all.slice(-4);
    // The page's own policy lets no foreign script in; that of a context is not the page's.
    await page.context().addInitScript(axe);
    await page.goto(`${url}/dashboard`);
    for (const address of tried) {
      await page.setViewportSize(wide);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await show(page, address);
      const light = await seriousFindings(page, {});
      await page.emulateMedia({ colorScheme: 'dark' });
      // All that the scheme changes is colours.
      const dark = await seriousFindings(page, { runOnly: ['color-contrast'] });
      await page.setViewportSize({ width: 400, height: 800 });
      const beyond = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      const found = { light, dark, beyond: Math.max(0, beyond) };
      expect({ address, ...found }).toEqual({ address, light: [], dark: [], beyond: 0 });
    }
  });

  /**
   * A page of the dashboard takes the place of the one before it in its document, whose policy and script stay: a new document would load
   * and compile axe again.
   */
  async function show(page: Page, address: string): Promise<void> {
    if (address === '/' || address === '/dashboard') {
      await page.goto(url + address);
      return;
    }
    await page.setContent(await (await page.request.get(url + address)).text());
    expect(await page.evaluate<number>('document.styleSheets.length'), address).toBe(1);
  }

  async function seriousFindings(page: Page, options: object) {
    const found = await page.evaluate(async (given) => {
      const { axe: tester } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Finding[] }> };
      };
      const { violations } = await tester.run({ ...given, resultTypes: ['violations'] });
      return violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        where: nodes.slice(0, 3).map((node) => node.html),
      }));
    }, options);
    return found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  }

  /** One address of every kind of page, with something on it. */
  async function addresses(page: Page): Promise<string[]> {
    await page.goto(`${url}/dashboard/users/ana`);
    const hrefs = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
    const [memory = ''] = await hrefs('section[aria-labelledby="memories"] table a');
    await page.goto(`${url}/dashboard/users/${FAILED}`);
    const [run = ''] = await hrefs('ol.nights a');
    await page.goto(url + run);
    const [fusion = ''] = await hrefs('a[href*="/fusions/"]');
    await page.goto(`${url}/dashboard/conflicts?status=all`);
    const [conflict = ''] = await hrefs('article h2 a');
    expect([memory, run, fusion, conflict].every((each) => each.startsWith('/dashboard/users/'))).toBe(true);
    return [
      '/',
      '/dashboard',
      '/dashboard/users',
      `/dashboard/users/${FAILED}`,
      '/dashboard/reviews',
      '/dashboard/conflicts?status=all',
      '/dashboard/failed',
      '/dashboard/users/nobody',
      `/dashboard/users/ana/take-back?fusion=${undone}&direction=redo`,
      fusion,
      '/dashboard/users/ana/forget',
      memory,
      run,
      `/dashboard/users/ana/fusions/${undone}`,
      conflict,
    ];
  }
});
