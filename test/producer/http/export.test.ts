import { request } from 'node:http';
import { Readable } from 'node:stream';
import { exportLines } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../fixtures/wait.ts';
import { BEARER, CANARY, HOST, lineOf, openStage, type Stage, tokenFor } from '../harness.ts';

describe('an export', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ poolSize: 1 });
  });
  afterAll(() => stage.dispose());

  const get = (query: string, headers: { authorization?: string } = BEARER) => {
    const { producer, log } = stage.newProducer();
    const url = `/v1/export?${query}`;
    return { log, reply: producer.app.inject({ method: 'GET', url, headers: { ...HOST, ...headers } }) };
  };
  const put = (query: string, payload: string | Readable) => {
    const { producer, log } = stage.newProducer();
    const headers = { ...HOST, ...BEARER, 'content-type': 'application/x-ndjson' };
    return {
      log,
      reply: producer.app.inject({ method: 'POST', url: `/v1/imports?${query}`, headers, payload }),
    };
  };
  async function direct(tenant: string, user: string | null): Promise<string> {
    const lines: string[] = [];
    await exportLines(stage.database, { tenant, user, write: (page) => void lines.push(...page) });
    return lines.map((line) => `${line}\n`).join('');
  }

  it('is what the database holds, of one user or of a whole tenant, and nothing of it is logged', async () => {
    await put('tenant=exp', [lineOf('ana', `${CANARY} one`), lineOf('ben', `${CANARY} two`)].join('\n'))
      .reply;
    for (const user of [null, 'ana']) {
      const { reply, log } = get(`tenant=exp${user === null ? '' : `&user=${user}`}`);
      const answer = await reply;
      expect(answer.body).toBe(await direct('exp', user));
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="slowwave-export.jsonl"',
        'content-length': String(Buffer.byteLength(answer.body)),
        'cache-control': 'no-store',
      });
      expect(log.text()).not.toContain(CANARY);
      expect(log.lines()).toContainEqual(
        expect.objectContaining({ msg: 'export read', users: user === null ? 2 : 1 }),
      );
    }
  });

  it('is restored by an import, refused where something stands, and then merged', async () => {
    await put('tenant=back', lineOf('ana', `${CANARY} kept`)).reply;
    const text = (await get('tenant=back&user=ana').reply).body;
    const moved = text.replaceAll('"tenant":"back"', '"tenant":"new home"');
    const restored = put('', moved);
    expect((await restored.reply).json()).toMatchObject({ inserted: 1, restored: { users: 1, memory: 1 } });
    expect(await direct('new home', 'ana')).toBe(moved);
    const refused = put('', moved);
    const problem = (await refused.reply).json();
    expect(problem).toMatchObject({ status: 422, problems: [{ line: 2, code: 'user_not_empty' }] });
    const merged = put('merge=true', moved);
    expect((await merged.reply).json()).toMatchObject({
      inserted: 0,
      leftOut: { known: 1 },
      problemCount: 0,
    });
    for (const { log } of [restored, refused, merged]) expect(log.text()).not.toContain(CANARY);
  });

  it('that is damaged tells neither the client nor the log what stands in it', async () => {
    await put('tenant=bad', lineOf('ana', `${CANARY} kept`)).reply;
    const text = (await get('tenant=bad').reply).body;
    for (const [from, to] of [
      ['"importance":5', '"importance":99'],
      ['"content":', '"content":\\'],
      [CANARY, `${CANARY}\\u0000`],
      ['"kind":"end"', '"kind":"fin"'],
    ] as const) {
      const sent = put('', text.replace(from, to).replaceAll('"tenant":"bad"', '"tenant":"worse"'));
      const answer = await sent.reply;
      expect(answer.statusCode).toBe(422);
      expect(answer.body).not.toContain(CANARY);
      expect(sent.log.text()).not.toContain(CANARY);
    }
  });

  it.each([
    ['a user who is not there', 'tenant=exp&user=zoe', 404, 'unknown_user'],
    ['a user of another tenant', 'tenant=other&user=ana', 404, 'unknown_user'],
    ['a field that is not known', 'users=ana', 400, 'invalid_request'],
    ['a name that is none', 'user=a%00', 400, 'invalid_request'],
  ])('of %s is refused', async (_what, query, status, code) => {
    const answer = await get(query).reply;
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
  });

  it('is for the operator only', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      expect((await get('tenant=exp', headers).reply).statusCode).toBe(401);
    }
  });

  it('of a user needs a token that reads, of the whole tenant one of an admin', async () => {
    await put('tenant=roles', lineOf('ana', `${CANARY} kept`)).reply;
    const [reads, admin, stranger] = await Promise.all([
      tokenFor(stage.database, { tenant: 'roles', role: 'read' }),
      tokenFor(stage.database, { tenant: 'roles', role: 'admin' }),
      tokenFor(stage.database, { tenant: 'others', role: 'admin' }),
    ]);
    const { producer } = stage.newProducer();
    const ask = async (query: string, { authorization }: { authorization: string }) => {
      const answer = await producer.app.inject({
        method: 'GET',
        url: `/v1/export?${query}`,
        headers: { ...HOST, authorization },
      });
      return [answer.statusCode, answer.statusCode === 200 ? answer.body : answer.json().code];
    };
    expect(await ask('user=ana', reads)).toEqual([200, await direct('roles', 'ana')]);
    expect(await ask('', reads)).toEqual([403, 'role_too_low']);
    expect(await ask('', admin)).toEqual([200, await direct('roles', null)]);
    expect(await ask('tenant=roles', stranger)).toEqual([403, 'wrong_tenant']);
    expect(await ask('user=ana', stranger)).toEqual([404, 'unknown_user']);
  });

  it('is restored by an admin only, and by one of a tenant only there', async () => {
    await put('tenant=home', [lineOf('ana', `${CANARY} one`), lineOf('ben', 'two')].join('\n')).reply;
    const text = await direct('home', null);
    const moved = (tenant: string) => text.replaceAll('"tenant":"home"', `"tenant":"${tenant}"`);
    const { producer } = stage.newProducer();
    const restore = async (role: 'write' | 'admin', file: string, query = '') => {
      const { authorization } = await tokenFor(stage.database, { tenant: 'rest', role });
      const headers = { ...HOST, authorization, 'content-type': 'application/x-ndjson' };
      return producer.app.inject({ method: 'POST', url: `/v1/imports?${query}`, headers, payload: file });
    };
    const low = await restore('write', moved('rest'));
    expect([low.statusCode, low.json().code]).toEqual([403, 'role_too_low']);
    expect(low.json().detail).toContain('with merge');
    for (const query of ['', 'merge=true']) {
      const foreign = await restore('admin', moved('elsewhere'), query);
      expect(foreign.statusCode).toBe(422);
      const codes = foreign.json().problems.map(({ code }: { code: string }) => code);
      expect(new Set(codes)).toEqual(new Set(['wrong_tenant']));
      expect(await direct('elsewhere', null)).not.toContain(CANARY);
    }
    // Nobody learns from a merge what another tenant has: what is known there is refused like all the rest.
    const known = await restore('write', text, 'merge=true');
    expect([known.statusCode, known.json().problemCount]).toEqual([422, 4]);
    expect((await restore('admin', moved('rest'))).json()).toMatchObject({
      restored: { users: 2, memory: 2 },
    });
    expect(await direct('rest', null)).toBe(moved('rest'));
  });

  it.each([
    ['restored', ''],
    ['merged', 'merge=true'],
  ])(
    'with lines of brackets is %s without them, and other requests are answered meanwhile',
    async (how, query) => {
      const tenant = `brackets ${how}`;
      await put(`tenant=${tenant}`, lineOf('ana', 'kept')).reply;
      const [header, ...rest] = (await direct(tenant, 'ana')).trimEnd().split('\n');
      const brackets = '['.repeat(8_000_000);
      const { producer } = stage.newProducer();
      const { url } = await producer.listen();
      const answered: string[] = [];
      let sent = (): void => {};
      const isSent = new Promise<void>((resolve) => {
        sent = resolve;
      });
      let go = (): void => {};
      const mayEnd = new Promise<void>((resolve) => {
        go = resolve;
      });
      async function* body() {
        // Too long, too deep, and too deep within an object.
        yield `${header}\n${brackets}\n${'['.repeat(4_000_000)}\n{"user":"zoe","metadata":${'['.repeat(65)}\n`;
        sent();
        await mayEnd;
        yield rest.map((line) => line.replaceAll(tenant, `${tenant} there`)).join('\n');
      }
      const importing = fetch(`${url}/v1/imports?${query}`, {
        method: 'POST',
        headers: { ...BEARER, 'content-type': 'application/x-ndjson' },
        body: Readable.toWeb(Readable.from(body())) as ReadableStream,
        duplex: 'half',
      } as RequestInit).then(async (answer) => {
        answered.push('import');
        return (await answer.json()) as { problems: { line: number; code: string }[] };
      });
      await isSent;
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      answered.push('health');
      go();
      const { problems } = await importing;
      expect(answered).toEqual(['health', 'import']);
      const lines = problems.map(({ line, code }) => [line, code]);
      expect(lines).toEqual([
        [2, 'line_too_long'],
        [3, 'too_deep'],
        [4, 'too_deep'],
      ]);
      expect(await direct(`${tenant} there`, 'ana')).toContain('kept');
    },
  );

  it('of a tenant without users is empty, and of none of its neighbours', async () => {
    expect((await get('tenant=nobody').reply).body).toBe(
      '{"kind":"slowwave-export","version":1,"tenant":"nobody"}\n{"kind":"slowwave-export-end","users":0}\n',
    );
  });

  it('holds nothing up for a client that does not read, or hangs up', async () => {
    const lines = Array.from({ length: 400 }, (_, i) => lineOf('ana', `${i} ${'long '.repeat(180)}`));
    await put('tenant=slow', lines.join('\n')).reply;
    const { producer, log } = stage.newProducer();
    const { url } = await producer.listen();
    const client = request(`${url}/v1/export?tenant=slow`, { headers: BEARER });
    client.on('error', () => undefined);
    const answered = new Promise<void>((resolve) => client.once('response', () => resolve()));
    client.end();
    await answered;
    // It has the head and takes no more: the one connection to the database is free.
    expect((await direct('exp', 'ana')).length).toBeGreaterThan(0);
    client.destroy();
    await until('the export to be read', async () => log.lines().some((line) => line.msg === 'export read'));
    const whole = await fetch(`${url}/v1/export?tenant=slow`, { headers: BEARER });
    expect(await whole.text()).toBe(await direct('slow', null));
  });

  it('is restored however slowly it comes, and holds nothing up meanwhile', async () => {
    const text = (await direct('exp', null)).replaceAll('"tenant":"exp"', '"tenant":"trickle"');
    let go = (): void => {};
    const waits = new Promise<void>((resolve) => {
      go = resolve;
    });
    async function* trickle() {
      yield text.slice(0, text.length / 2);
      await waits;
      yield text.slice(text.length / 2);
    }
    const { reply } = put('', Readable.from(trickle(), { objectMode: false }));
    const answer = reply.then((response) => response.json());
    expect((await direct('exp', 'ana')).length).toBeGreaterThan(0);
    go();
    expect(await answer).toMatchObject({ restored: { users: 2 } });
  });
});
