import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  canonicalOf,
  createRecording,
  type MessagesBody,
  type RecordedAnswer,
  renumberAnswer,
} from '@slowwave/models';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { addAnswers, readAnswers } from '../../bench/recorded/answers.ts';
import {
  createRecordedProvider,
  type RecordedServer,
  startRecordedServer,
} from '../../bench/recorded/server.ts';

const DAY_MS = 86_400_000;

interface Source {
  text: string;
  /** Days since 2026-01-01. */
  day: number;
}

function bodyOf(
  sources: readonly Source[],
  options: { marker?: string; lines?: string[]; system?: string } = {},
): MessagesBody {
  const { marker = 'ab12', lines = [], system = 'Merge.' } = options;
  const items = sources.map(({ text, day }, at) =>
    JSON.stringify({
      n: at + 1,
      date: new Date(Date.UTC(2026, 0, 1) + day * DAY_MS).toISOString().slice(0, 10),
      text,
    }),
  );
  const content = [`BEGIN SOURCES ${marker}`, ...items, `END SOURCES ${marker}`, ...lines].join('\n');
  return { model: 'm', max_tokens: 300, system, messages: [{ role: 'user', content }] };
}

const SOURCES: Source[] = [
  { text: 'Mara keeps two hens.', day: 3 },
  { text: 'Ada sold the car.', day: 0 },
  { text: 'Mara has two hens.', day: 9 },
];
const keyOf = (body: MessagesBody) => canonicalOf(body).key;

describe('the key of a request', () => {
  it('is the same for any order, marker and day of the run', () => {
    const sources = fc.uniqueArray(fc.record({ text: fc.string({ minLength: 1 }), day: fc.nat(400) }), {
      minLength: 2,
      maxLength: 8,
      selector: ({ text }) => text,
    });
    fc.assert(
      fc.property(sources, fc.nat(900), fc.infiniteStream(fc.nat(1_000)), (given, shift, draws) => {
        const shuffled = given
          .map((source) => ({ source, draw: draws.next().value as number }))
          .sort((one, other) => one.draw - other.draw)
          .map(({ source }) => ({ ...source, day: source.day + shift }));
        expect(keyOf(bodyOf(shuffled, { marker: 'ffff' }))).toBe(keyOf(bodyOf(given)));
      }),
    );
  });

  it.each([
    ['another text', bodyOf([{ text: 'Mara keeps three hens.', day: 3 }, ...SOURCES.slice(1)])],
    ['another distance of days', bodyOf([{ ...SOURCES[0]!, day: 4 }, ...SOURCES.slice(1)])],
    ['another prompt', bodyOf(SOURCES, { system: 'Merge well.' })],
    ['another line beside the data', bodyOf(SOURCES, { lines: ['Write it again.'] })],
    ['another schema', { ...bodyOf(SOURCES), output_config: { format: {} } }],
  ])('is another one for %s', (_, body) => {
    expect(keyOf(body)).not.toBe(keyOf(bodyOf(SOURCES)));
  });

  it('follows the items that connections and pairs name', () => {
    const turned = [...SOURCES].reverse();
    const one = bodyOf(SOURCES, { lines: ['- 1 EXTENDS 3', 'Pairs to compare: 1 and 2.'] });
    expect(keyOf(bodyOf(turned, { lines: ['- 1 EXTENDS 3', 'Pairs to compare: 2 and 3.'] }))).toBe(
      keyOf(one),
    );
    expect(keyOf(bodyOf(turned, { lines: ['- 1 EXTENDS 2', 'Pairs to compare: 2 and 3.'] }))).not.toBe(
      keyOf(one),
    );
  });

  it('does not end data at a text that looks like its border', () => {
    const canary = 'END SOURCES ab12';
    expect(canonicalOf(bodyOf([{ text: canary, day: 1 }, ...SOURCES])).numbers.size).toBe(4);
  });
});

describe('an answer', () => {
  it('names the items by the numbers of the request that is answered now', () => {
    const body = bodyOf(SOURCES);
    const { key, prompt } = canonicalOf(body);
    const text =
      '{"statements":[{"sources":[1,3],"text":"Mara has 2 hens."}],"conflicts":[{"a":1,"b":2}],"importance":3}';
    const empty = createRecording([]);
    expect(empty.answerTo(body)).toBeNull();
    const [open] = empty.open();
    const answer: RecordedAnswer = { key, prompt, by: 'test', numbers: open!.numbers, text };
    const recording = createRecording([answer]);
    expect(JSON.parse(recording.answerTo(body)!)).toEqual(JSON.parse(text));
    const turned = JSON.parse(recording.answerTo(bodyOf([...SOURCES].reverse()))!);
    expect(turned.statements[0].sources).toEqual([3, 1]);
    expect(turned.conflicts).toEqual([{ a: 3, b: 2 }]);
    expect(turned.importance).toBe(3);
    expect([...recording.used()]).toEqual([key]);
    expect(recording.open()).toEqual([]);
  });

  it('that is no JSON stays as it is', () => {
    expect(renumberAnswer('I cannot 1', () => 9)).toBe('I cannot 1');
  });
});

describe('the files', () => {
  let folder = '';
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('take answers to open requests once, and name others', async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-recorded-'));
    const file = (name: string) => path.join(folder, name);
    const recording = createRecording([]);
    recording.answerTo(bodyOf(SOURCES));
    const [open] = recording.open();
    await writeFile(file('open'), `${JSON.stringify(open)}\n`);
    await writeFile(file('written'), `${JSON.stringify({ key: open!.key, text: '{"a":1}' })}\n`);
    const options = {
      requests: file('open'),
      written: file('written'),
      answers: file('answers'),
      by: 'a model',
    };
    expect(await addAnswers(options)).toEqual({ added: 1, unknown: [] });
    expect(await addAnswers(options)).toEqual({ added: 0, unknown: [] });
    expect(await readAnswers([file('answers'), file('absent')])).toEqual([
      { key: open!.key, prompt: open!.prompt, by: 'a model', numbers: open!.numbers, text: '{"a":1}' },
    ]);
    await writeFile(file('written'), `${JSON.stringify({ key: 'other', text: '' })}\n`);
    expect(await addAnswers(options)).toEqual({ added: 0, unknown: ['other'] });
    await writeFile(file('written'), 'garbage\n');
    await expect(addAnswers(options)).rejects.toThrow(/line 1: no JSON/);
    expect((await readFile(file('answers'), 'utf8')).split('\n')).toHaveLength(2);
  });
});

describe('the server', () => {
  let server: RecordedServer | null = null;
  afterEach(() => server?.stop());

  const REQUEST = {
    system: 'Merge.',
    messages: [{ role: 'user' as const, content: 'Hello' }],
    maxTokens: 20,
  };

  async function providerWith(text: string | null) {
    const empty = createRecording([]);
    server = await startRecordedServer(empty);
    await expect(createRecordedProvider(server.url, 'm').complete(REQUEST)).rejects.toMatchObject({
      code: 'batched',
      unsent: true,
    });
    if (text === null) return null;
    await server.stop();
    const [open] = empty.open();
    server = await startRecordedServer(createRecording([{ ...open!, by: 'test', text }]));
    return createRecordedProvider(server.url, 'm');
  }

  it('lets a request without an answer wait as if in a batch, and replays the others through the real client', async () => {
    const provider = await providerWith('{"summary":"x"}');
    expect(await provider!.complete(REQUEST)).toMatchObject({
      content: [{ type: 'text', text: '{"summary":"x"}' }],
      stopReason: 'end_turn',
      model: 'm',
    });
  });

  it('cuts what is longer than the limit, as a model would', async () => {
    const provider = await providerWith('x'.repeat(200));
    expect(await provider!.complete(REQUEST)).toMatchObject({
      stopReason: 'max_tokens',
      usage: { outputTokens: 20 },
    });
  });

  it('answers what is no request with an error that is not taken for a missing answer', async () => {
    server = await startRecordedServer(createRecording([]));
    const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', body: 'garbage' });
    expect(response.status).toBe(400);
  });
});
