import { request } from 'node:http';
import { Readable } from 'node:stream';
import { countBands, getUser } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORT_MAX_BYTES, limited } from '../../../apps/producer/src/http/imports.ts';
import { until } from '../../fixtures/wait.ts';
import { BEARER, CANARY, HOST, lineOf, openStage, type Stage, tokenFor } from '../harness.ts';

describe('an import', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const storedOf = (tenant: string) =>
    stage.database.withTenant(tenant, async (tx) =>
      (await getUser(tx, tenant, 'ana')) === null
        ? 0
        : (await countBands(tx, { tenant, user: 'ana', at: Date.now() })).total,
    );

  const send = (query: string, payload: string | Readable, type = 'text/plain') => {
    const { producer, log } = stage.newProducer();
    const headers = { ...HOST, ...BEARER, 'content-type': type };
    return {
      log,
      reply: producer.app.inject({ method: 'POST', url: `/v1/imports?${query}`, headers, payload }),
    };
  };

  it('keeps the good lines and tells the bad ones, and the same file again changes nothing', async () => {
    const file = [lineOf('ana', `${CANARY} one`), `{"user":"ana","${CANARY}`, lineOf('ben', 'two')];
    const first = send('tenant=imp', file.join('\n'), 'application/x-ndjson');
    const summary = (await first.reply).json();
    expect(summary).toMatchObject({ lines: 3, inserted: 2, usersCreated: 2, problemCount: 1 });
    expect(summary.problems).toEqual([expect.objectContaining({ line: 2, code: 'invalid_json' })]);
    expect((await send('tenant=imp', file.join('\n')).reply).json()).toMatchObject({
      inserted: 0,
      unchanged: 2,
    });
    expect(first.log.text()).not.toContain(CANARY);
    expect(first.log.lines()).toContainEqual(
      expect.objectContaining({ msg: 'import finished', inserted: 2 }),
    );
  });

  it('takes plain text for one user, from a date', async () => {
    const { reply } = send(
      'tenant=plain&user=ana&format=text&date=2026-03-01',
      '{"looks": "like json"}\nsecond\n',
    );
    expect((await reply).json()).toMatchObject({ inserted: 2, users: [{ tenant: 'plain', user: 'ana' }] });
  });

  it.each([
    ['nothing', '', 422, 'no_good_line'],
    ['nothing good', '{"user":', 422, 'no_good_line'],
    ['too long a memory', lineOf('a', 'x'.repeat(1_001)), 422, 'no_good_line'],
    ['text for nobody', 'a memory\n', 400, 'user_required'],
  ])('of %s is refused', async (_what, payload, status, code) => {
    const reply = await send('tenant=bad', payload).reply;
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });

  it('lists why no line could be used', async () => {
    const { problems, problemCount } = (await send('tenant=bad&format=jsonl', 'one\ntwo\n').reply).json();
    expect([problems.length, problemCount, problems[1].line]).toEqual([2, 2, 2]);
  });

  it.each(['format=xml', 'tenant=', 'date=yesterday', 'users=ana', 'user=a%00'])(
    'with %s is refused before it is read',
    async (query) => {
      expect((await send(query, 'x').reply).json().code).toBe('invalid_request');
    },
  );

  it('by a token of one tenant goes there, and nowhere else', async () => {
    const { authorization } = await tokenFor(stage.database, { tenant: 'bound', role: 'write' });
    const { producer } = stage.newProducer();
    const post = (query: string, payload: string, header = authorization) =>
      producer.app.inject({
        method: 'POST',
        url: `/v1/imports?${query}`,
        headers: { ...HOST, authorization: header, 'content-type': 'application/x-ndjson' },
        payload,
      });
    const line = (tenant: string | undefined, content: string) =>
      JSON.stringify({ tenant, user: 'ana', content });
    const file = [line(undefined, 'mine'), line('imp2', `${CANARY} of others`), line('bound', 'mine too')];
    const mixed = (
      await post('', [...file, '{"kind":"user","user":"zoe","tenant":"imp2"}'].join('\n'))
    ).json();
    expect(mixed).toMatchObject({ inserted: 2, users: [{ tenant: 'bound', user: 'ana' }], problemCount: 2 });
    expect(mixed.problems.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
      [2, 'wrong_tenant'],
      [4, 'wrong_tenant'],
    ]);
    expect([await storedOf('bound'), await storedOf('imp2')]).toEqual([2, 0]);
    const asked = await post('tenant=imp2', file[0]!);
    expect([asked.statusCode, asked.json().code]).toEqual([403, 'wrong_tenant']);
    const reads = await tokenFor(stage.database, { tenant: 'bound', role: 'read' });
    expect((await post('', file[0]!, reads.authorization)).json().code).toBe('role_too_low');
  });

  it('is taken as text or bytes only', async () => {
    const reply = await send('user=ana', '{}', 'application/json').reply;
    expect([reply.statusCode, reply.json().code]).toEqual([415, 'unsupported_media_type']);
    expect(reply.json().detail).toBe(
      'expected a body as one of application/x-ndjson, text/plain, application/octet-stream',
    );
  });

  it('answers over a real connection although it stopped reading, and is read as it comes', async () => {
    const { producer } = stage.newProducer();
    const { url } = await producer.listen();
    const post = (query: string, chunks: () => Generator<string>) =>
      fetch(`${url}/v1/imports?${query}`, {
        method: 'POST',
        headers: { ...BEARER, 'content-type': 'application/octet-stream' },
        body: Readable.toWeb(Readable.from(chunks(), { objectMode: false })) as ReadableStream,
        duplex: 'half',
      } as RequestInit);
    function* plain() {
      for (let i = 0; i < 40; i++) yield `${'a memory of somebody '.repeat(3_000)}\n`;
    }
    const refused = await post('tenant=live', plain);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      400,
      'user_required',
    ]);
    // A megabyte is the limit everywhere else.
    function* lines() {
      for (let i = 0; i < 2_000; i++) yield `${lineOf('ana', `${i} ${'long '.repeat(180)}`)}\n`;
    }
    const taken = await post('tenant=live', lines);
    expect(await taken.json()).toMatchObject({ inserted: 2_000, problemCount: 0 });
  });

  it('that is broken off keeps what was read, and is no error of ours', async () => {
    const { producer, log } = stage.newProducer();
    const { url } = await producer.listen();
    const client = request(`${url}/v1/imports?tenant=cut`, {
      method: 'POST',
      headers: { ...BEARER, 'content-type': 'application/x-ndjson', 'content-length': '1000000' },
    });
    client.on('error', () => {});
    client.write(`${Array.from({ length: 600 }, (_, i) => lineOf('ana', `memory ${i}`)).join('\n')}\n`);
    await until('the first lines are stored', async () => (await storedOf('cut')) > 0);
    client.destroy();
    await until('the end is logged', () => log.text().includes('import ended early'));
    expect(log.lines()).toContainEqual(expect.objectContaining({ why: 'broken_off' }));
    expect(log.lines().filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('refuses to go on without end', async () => {
    const read = async (maxBytes: number) => {
      let bytes = 0;
      for await (const chunk of limited(Readable.from([Buffer.alloc(6), Buffer.alloc(4)]), maxBytes))
        bytes += chunk.length;
      return bytes;
    };
    expect(await read(10)).toBe(10);
    await expect(read(9)).rejects.toMatchObject({ status: 413, code: 'body_too_large' });
    const { producer } = stage.newProducer();
    const headers = {
      ...HOST,
      ...BEARER,
      'content-type': 'text/plain',
      'content-length': String(IMPORT_MAX_BYTES + 1),
    };
    const reply = await producer.app.inject({
      method: 'POST',
      url: '/v1/imports?user=ana',
      headers,
      payload: 'x',
    });
    expect([reply.statusCode, reply.json().code, reply.headers.connection]).toEqual([
      413,
      'body_too_large',
      'close',
    ]);
  });
});
