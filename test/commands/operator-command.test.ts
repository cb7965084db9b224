import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { consolidateCommand } from '../../apps/standalone/src/consolidate-command.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { fusionsCommand, showFusionCommand } from '../../apps/standalone/src/fusion-commands.ts';
import { holdCommand } from '../../apps/standalone/src/hold-command.ts';
import { OWN_TENANT } from '../../apps/standalone/src/remote.ts';
import { cancelRunCommand, runsCommand, showRunCommand } from '../../apps/standalone/src/run-commands.ts';
import { statusCommand } from '../../apps/standalone/src/status-command.ts';
import {
  createTokenCommand,
  revokeTokenCommand,
  tokensCommand,
} from '../../apps/standalone/src/token-commands.ts';
import {
  addWebhookCommand,
  removeWebhookCommand,
  testWebhookCommand,
  webhooksCommand,
} from '../../apps/standalone/src/webhook-commands.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const tenant = 'default';
const PAGE = { tenant, limit: 20, json: false };

describe.each(COMMAND_WAYS)('slowwave token, webhook, runs and fusions %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way, { SLOWWAVE_WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  });
  afterAll(() => stage?.close());

  it('makes, lists and revokes tokens, and shows a secret once and alone', async () => {
    const given = { tenant, name: 'ci of 日本', role: 'write' as const, json: false };
    expect(
      (await stage.run((context) => tokensCommand(context, { ...PAGE, tenant: 'nobody' })))[0],
    ).toContain('slowwave token create');
    const [secret, told] = await stage.run((context) => createTokenCommand(context, { ...given, days: 30 }));
    expect(secret).toMatch(/^swt_\w{32}_[\w-]{43}$/);
    expect(told).toMatch(/^error: token [0-9a-f-]{36} \(ci of 日本, write\) of default, until 2\d{3}-/);
    const listed = await stage.run((context) => tokensCommand(context, PAGE));
    expect(listed[0]).toMatch(/^TOKEN +NAME +ROLE +STATE/);
    expect(listed.join('\n')).not.toContain(secret);
    const [json] = await stage.run((context) => tokensCommand(context, { ...PAGE, json: true }));
    const { tokens, nextCursor } = JSON.parse(json!) as { tokens: { id: string }[]; nextCursor: null };
    expect([tokens.length, nextCursor]).toEqual([1, null]);
    const token = tokens[0]!.id;
    const revoke = (id: string) => (context: CommandContext) =>
      revokeTokenCommand(context, { token: id, tenant, json: false });
    expect(await stage.run(revoke(token))).toEqual([`token ${token} (ci of 日本) lets nobody in any more`]);
    expect((await stage.run((context) => tokensCommand(context, PAGE)))[1]).toContain('revoked 2');
    for (const id of [NOBODY, 'mine']) {
      expect((await stage.refused(revoke(id))).code).not.toBe(EXIT.ok);
    }
    const long = await stage.refused((context) =>
      createTokenCommand(context, { ...given, name: 'x'.repeat(300) }),
    );
    expect(long.message).toContain('name');
  });

  it('adds, tries and removes webhooks', async () => {
    const seen: { type: string; signature: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += String(part);
      });
      request.on('end', () => {
        seen.push({
          type: (JSON.parse(body) as { type: string }).type,
          signature: String(request.headers['webhook-signature']),
        });
        response.writeHead(seen.length === 1 ? 204 : 500).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const of = { tenant, json: false };
    const [secret, told] = await stage.run((context) =>
      addWebhookCommand(context, { ...of, url, events: ['run.finished'] }),
    );
    expect(secret).toMatch(/^whsec_/);
    const webhook = /webhook ([0-9a-f-]{36}) is told of run\.finished/.exec(told!)?.[1] ?? '';
    expect(webhook).toMatch(UUID);
    expect((await stage.run((context) => webhooksCommand(context, of)))[1]).toContain(url);
    const [delivered] = await stage.run((context) => testWebhookCommand(context, { ...of, webhook }));
    expect(delivered).toMatch(/^delivered in \d+ ms, status 204$/);
    expect(seen).toEqual([{ type: 'webhook.test', signature: expect.stringMatching(/^v1,/) }]);
    const { context, lines } = stage.context();
    expect(await testWebhookCommand(context, { ...of, webhook })).toBe(EXIT.failed);
    expect(lines.join('')).toMatch(/^error: not delivered: \w+, status 500/);
    await stage.run((each) => removeWebhookCommand(each, { ...of, webhook }));
    expect((await stage.run((each) => webhooksCommand(each, of)))[0]).toContain('no webhook');
    expect((await stage.refused((each) => removeWebhookCommand(each, { ...of, webhook }))).code).not.toBe(0);
    const wrong = await stage.refused((each) =>
      addWebhookCommand(each, { ...of, url: 'ftp://example.com', events: ['run.finished'] }),
    );
    expect(wrong.message).toContain('https://');
    await new Promise((resolve) => server.close(resolve));
  });

  it('knows no run and no fusion that there is not', async () => {
    const of = await stage.newUser();
    expect(await stage.run((context) => runsCommand(context, { ...PAGE, user: of.user }))).toEqual([
      'no run',
    ]);
    expect(await stage.run((context) => fusionsCommand(context, { ...PAGE, user: of.user }))).toEqual([
      'no fusion',
    ]);
    for (const run of [NOBODY, 'none']) {
      expect((await stage.refused((context) => showRunCommand(context, { ...of, run }))).message).toMatch(
        /run/,
      );
      expect((await stage.refused((context) => cancelRunCommand(context, { ...of, run }))).message).toMatch(
        /run/,
      );
    }
    const key = 'f'.repeat(64);
    const unknown = await stage.refused((context) => showFusionCommand(context, { ...of, key }));
    expect(unknown.message).toMatch(/fusion/);
    const cursor = await stage.refused((context) => runsCommand(context, { ...PAGE, cursor: 'nonsense' }));
    expect(cursor.message).toContain('cursor');
  });
});

describe('a service somewhere else', () => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage('through the service');
  });
  afterAll(() => stage?.close());

  /** A context of a machine that has no data of its own, with a token of the tenant. */
  async function remoteContext(token: string): Promise<ReturnType<CommandStage['context']>> {
    const { context, lines } = stage.context();
    const config = { ...context.config, database: { kind: 'embedded' as const, dataDir: '/nonexistent' } };
    return { lines, context: { ...context, config, remote: { url: stage.http!.url, token } } };
  }

  it('is asked as whoever the token belongs to', async () => {
    const of = await stage.newUser();
    const [secret] = await stage.run((context) =>
      createTokenCommand(context, { tenant, name: 'reader', role: 'read', json: false }),
    );
    const { context, lines } = await remoteContext(secret!);
    expect(await statusCommand(context, { ...of, tenant: OWN_TENANT })).toBe(EXIT.ok);
    expect(lines[0]).toContain('1 latest');
    const refused = async (command: (each: CommandContext) => Promise<number>, token = secret!) => {
      const remote = await remoteContext(token);
      return stage.refused(() => command(remote.context));
    };
    const elsewhere = await refused((each) => statusCommand(each, { ...of, tenant: 'other' }));
    expect(elsewhere.code).toBe(EXIT.failed);
    const writing = await refused((each) =>
      consolidateCommand(each, { ...of, tenant: OWN_TENANT, tier: 'light', wait: true, timeoutMs: 60_000 }),
    );
    expect(writing.code).toBe(EXIT.failed);
    expect(writing.message).toMatch(/read|write|role/);
    const unknown = await refused(
      (each) => statusCommand(each, of),
      `swt_${'0'.repeat(32)}_${'a'.repeat(43)}`,
    );
    expect(unknown).toEqual({
      code: EXIT.config,
      message: expect.stringContaining('does not know this token'),
    });
  });

  it('does the work, and shows it', async () => {
    const of = await stage.newUser();
    const [secret] = await stage.run((context) =>
      createTokenCommand(context, { tenant, name: 'writer', role: 'write', json: false }),
    );
    const own = { ...of, tenant: OWN_TENANT };
    const { context, lines } = await remoteContext(secret!);
    const given = { ...own, tier: 'light' as const, wait: true, timeoutMs: 60_000 };
    expect(await consolidateCommand(context, given)).toBe(EXIT.ok);
    const run = /^run ([0-9a-f-]{36}): completed/.exec(lines[0]!)![1]!;
    lines.length = 0;
    await runsCommand(context, { ...PAGE, tenant: OWN_TENANT, user: of.user, json: true });
    const page = JSON.parse(lines[0]!) as { runs: { runId: string; status: string }[] };
    expect(page.runs.find(({ runId }) => runId === run)).toMatchObject({
      status: 'completed',
      finished: true,
    });
    lines.length = 0;
    expect(await showRunCommand(context, { ...own, run })).toBe(EXIT.ok);
    expect(lines.join('\n')).toContain('embed');
    const again = await stage.refused(() => cancelRunCommand(context, { ...own, run }));
    expect(again).toEqual({ code: EXIT.failed, message: expect.any(String) });
  });

  it('pauses a user of its own tenant without being told which that is', async () => {
    const of = await stage.newUser();
    const [secret] = await stage.run((context) =>
      createTokenCommand(context, { tenant, name: 'holder', role: 'write', json: false }),
    );
    const { context, lines } = await remoteContext(secret!);
    const given = { action: 'pause' as const, user: of.user, all: false, json: false };
    expect(await holdCommand(context, given)).toBe(EXIT.ok);
    expect(lines[0]).toContain(of.user);
    const everybody = await stage.refused(() =>
      holdCommand(context, { action: 'pause', all: true, json: false }),
    );
    expect(everybody).toEqual({ code: EXIT.config, message: expect.stringContaining('--tenant') });
  });

  it('that is not there is said to be so', async () => {
    const { context } = stage.context();
    const remote = { url: 'http://127.0.0.1:1', token: 'x'.repeat(20) };
    const told = await stage.refused(() => tokensCommand({ ...context, remote }, PAGE));
    expect(told).toEqual({
      code: EXIT.unreachable,
      message: expect.stringContaining('is the address right'),
    });
  });
});
