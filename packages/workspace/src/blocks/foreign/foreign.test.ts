import { parseImport } from '@slowwave/db';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../../test/fixtures/code-point.ts';
import { detectImport } from './detect.ts';
import { linesOf } from './lines.ts';
import { isOpenClawFolder, openClawFile } from './openclaw.ts';
import { readForeign } from './read.ts';
import { FOREIGN_FORMATS, type ForeignFormat, type ForeignOptions } from './types.ts';

const AT = Date.UTC(2026, 4, 1, 12);
const CANARY = 'quillbrook';
const options = (more: Partial<ForeignOptions> = {}): ForeignOptions => ({
  tenant: 'default',
  user: 'ana',
  path: 'export.json',
  at: AT,
  timezone: 'UTC',
  ...more,
});
const read = (value: unknown, format: ForeignFormat, more: Partial<ForeignOptions> = {}) =>
  readForeign(typeof value === 'string' ? value : JSON.stringify(value), format, options(more));
const contents = (result: ReturnType<typeof read>) => result.records.map(({ record }) => record.content);

const MEM0 = {
  id: 'ea925981-272f-40dd-b576-be64e4871429',
  memory: 'Likes to play cricket.',
  user_id: 'alex',
  hash: 'x',
  metadata: { category: 'hobbies' },
  categories: ['hobbies'],
  created_at: '2024-07-26T10:29:36.630547-07:00',
  updated_at: '2024-07-26T10:30:00.000000-07:00',
};

describe('an export of mem0', () => {
  it('is read as a list, as an answer with results, and page by page', () => {
    const shapes = [
      [MEM0],
      { results: [MEM0], relations: [] },
      { count: 1, next: null, results: [MEM0] },
      { memories: [MEM0] },
      { data: { results: [MEM0] } },
      MEM0,
    ];
    for (const shape of shapes) {
      const { records, problems } = read(shape, 'mem0', { user: null });
      expect(problems).toEqual([]);
      expect(records).toEqual([
        {
          line: 1,
          record: expect.objectContaining({
            externalId: `mem0:${MEM0.id}`,
            user: 'alex',
            content: MEM0.memory,
            category: 'preference',
            source: 'import',
            date: Date.parse('2024-07-26T17:29:36.630Z'),
            metadata: { mem0: { categories: ['hobbies'], metadata: { category: 'hobbies' } } },
          }),
        },
      ]);
    }
  });

  it('is read as the store of an installation keeps it', () => {
    const { records } = read(
      [{ id: 7, payload: { data: 'Rows.', user_id: 'ben', created_at: 1_700_000_000 } }],
      'mem0',
    );
    expect(records[0]?.record).toMatchObject({
      externalId: 'mem0:7',
      content: 'Rows.',
      user: 'ben',
      date: 1_700_000_000_000,
    });
  });

  it('tells each entry that cannot be read, by its number and without its text, and keeps the others', () => {
    const bad = [
      { id: '1', note: CANARY },
      CANARY,
      { ...MEM0, created_at: CANARY },
      { ...MEM0, user_id: null, memory: CANARY },
      { ...MEM0, memory: `${CANARY} `.repeat(5_000), id: '5' },
      MEM0,
      MEM0,
    ];
    const { records, problems, skipped } = read({ results: bad }, 'mem0', { user: null });
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [1, 'missing'],
      [2, 'not_object'],
      [3, 'invalid_date'],
      [4, 'missing'],
      [5, 'too_long'],
    ]);
    expect(records.map(({ line }) => line)).toEqual([6]);
    expect(skipped).toEqual([{ line: 7, reason: 'repeated', count: 1 }]);
    expect(JSON.stringify(problems)).not.toContain(CANARY);
  });
});

describe('readMem0', () => {
  it('a page with others after it, is read and says so', () => {
    const page = { count: 300, next: 'https://api.example.test/v1/memories/?page=2', results: [MEM0] };
    const { records, problems, skipped } = read(page, 'mem0');
    expect([records.length, problems]).toEqual([1, []]);
    expect(skipped).toEqual([{ line: 0, reason: 'next_pages', count: 1 }]);
  });

  it('an expiration_date that is no date, refuses the entry', () => {
    const entries = [
      { ...MEM0, id: '1', expiration_date: '2099-01-31' },
      { ...MEM0, id: '2', expiration_date: CANARY },
      { ...MEM0, id: '3', expiration_date: null },
    ];
    const { records, problems } = read(entries, 'mem0');
    expect(records.map(({ record }) => record.expiresAt)).toEqual([Date.UTC(2099, 0, 31), null]);
    expect(problems).toEqual([
      { line: 2, code: 'invalid_date', message: expect.stringMatching(/^expiration_date is no date/) },
    ]);
  });
});

const AGENT = {
  agents: [
    { name: 'sam', block_ids: ['block-0', 'block-1'], messages: [{ role: 'user' }, { role: 'assistant' }] },
  ],
  blocks: [
    {
      id: 'block-0',
      label: 'human',
      value: 'First name: Chad\nAge: ?\n- likes:\n  - Formula 1\n  - sailing\n',
    },
    { id: 'block-1', label: 'persona', value: 'I am Sam.' },
    { id: 'block-2', label: 'project_notes', value: '' },
  ],
  tools: [],
};

describe('an agent file of Letta', () => {
  it('gives its memory blocks thing by thing; messages, empty blocks and open questions are left out and counted', () => {
    for (const text of [JSON.stringify(AGENT), JSON.stringify(JSON.stringify(AGENT))]) {
      const result = readForeign(text, 'letta', options({ path: 'sam.af' }));
      expect(contents(result)).toEqual([
        'First name: Chad',
        'likes: Formula 1',
        'likes: sailing',
        'Persona of the agent: I am Sam.',
      ]);
      expect(result.records.map(({ record }) => record.source)).toEqual([
        'import',
        'import',
        'import',
        'assistant',
      ]);
      expect(result.skipped).toEqual(
        expect.arrayContaining([
          { line: 0, reason: 'messages', count: 2 },
          { line: 3, reason: 'empty_block', count: 1 },
          { line: 1, reason: 'unanswered', count: 1 },
        ]),
      );
      expect(result.problems).toEqual([]);
    }
  });

  it('is read in its first version, with passages, and as a list of passages', () => {
    const old = {
      agent_type: 'memgpt_agent',
      core_memory: [{ label: 'human', value: 'Likes tea.' }],
      archival_memory: [{ id: 'passage-0', text: 'Met Ben.', created_at: '2025-01-02T03:04:05' }],
    };
    const result = read(old, 'letta');
    expect(contents(result)).toEqual(['Likes tea.', 'Met Ben.']);
    expect(result.records[1]!.record.date).toBe(Date.UTC(2025, 0, 2, 3, 4, 5));
    expect(contents(read([{ id: 'passage-1234abcd', text: 'Met Cleo.', tags: ['x'] }], 'letta'))).toEqual([
      'Met Cleo.',
    ]);
  });

  it('is read as plain text, too', () => {
    const result = readForeign('Name: Ada\nLikes tea\n', 'letta', options({ path: 'human.txt' }));
    expect(result.records.map(({ line, record }) => [line, record.content])).toEqual([
      [1, 'Name: Ada'],
      [2, 'Likes tea'],
    ]);
  });
});

describe('Markdown', () => {
  it('is read block by block, daily notes by their day, with names that stay the same', () => {
    const text = '# Daily\n\n- met Ben\n- met Ben\n';
    const result = readForeign(
      text,
      'openclaw',
      options({ path: 'memory/2026-03-01-trip.md', timezone: 'Europe/Berlin' }),
    );
    expect(result.records).toHaveLength(1);
    expect(result.records[0]!.record).toMatchObject({
      category: 'event',
      date: Date.UTC(2026, 2, 1, 23) - 1,
    });
    const moved = readForeign(
      `\n\n${text}`,
      'markdown',
      options({ path: 'old/2026-03-01.md', timezone: 'Europe/Berlin' }),
    );
    expect(moved.records[0]!.record.externalId).toBe(result.records[0]!.record.externalId);
    expect(moved.records[0]!.line).toBe(5);
    const [first, second] = ['a.md', 'b.md'].map(
      (path) => readForeign(text, 'markdown', options({ path })).records[0]!.record,
    );
    expect(second).toMatchObject({ externalId: first!.externalId, date: AT });
  });

  it('in the notes of several days: a bullet is one memory of each day', () => {
    const paths = ['2026-04-01.md', '2026-04-02.md', '2026-04-03-canal.md', 'MEMORY.md'];
    const records = paths.flatMap(
      (path) => readForeign('- Ran 5 km along the canal\n', 'openclaw', options({ path })).records,
    );
    expect(new Set(records.map(({ record }) => record.externalId)).size).toBe(4);
    expect(records.map(({ record }) => new Date(record.date).toISOString().slice(0, 10)).slice(0, 3)).toEqual(
      ['2026-04-01', '2026-04-02', '2026-04-03'],
    );
  });

  it.each([
    ['mem0', 'memory'],
    ['letta', 'text'],
  ] as const)('entries of %s without an id, of several days: one memory of each day', (format, field) => {
    const entries = ['2026-05-01T08:00:00Z', '2026-05-02T08:00:00Z', '2026-05-02T09:00:00Z', null].map(
      (created_at) => ({ [field]: 'Ran 5 km.', created_at }),
    );
    const names = () => read(entries, format).records.map(({ record }) => record.externalId);
    expect(new Set(names()).size).toBe(3);
    expect(names()).toEqual(names());
  });

  it('of a workspace is what the agent knows about its person, and the rest has a reason', () => {
    const files = [
      'MEMORY.md',
      'USER.md',
      'memory/2026-03-01.md',
      'memory/people.md',
      'SOUL.md',
      'AGENTS.md',
      'DREAMS.md',
      'notes/plan.md',
      'memory/x.txt',
    ];
    expect(files.map((file) => openClawFile(file)).map((file) => (file.read ? 'read' : file.reason))).toEqual(
      ['read', 'read', 'read', 'read', 'persona', 'instructions', 'diary', 'not_memory', 'not_markdown'],
    );
    expect(isOpenClawFolder(files)).toBe(true);
    expect(isOpenClawFolder(['.fusion/memory/MEMORY.md', '.fusion/memory/2026-03-01.md'])).toBe(true);
    expect(isOpenClawFolder(['plan.md', 'MEMORY.md'])).toBe(false);
  });
});

describe('readMarkdown', () => {
  const file = (front: string, path = 'deploy.md') =>
    readForeign(`---\n${front}\n---\n- Host: kestrel\n- …\n`, 'markdown', options({ path }));

  it.each([
    ['on one line', 'description: "Rosa deploys with the account rosa-ops"\ntype: user'],
    [
      'over lines',
      'description: >-\n  Rosa deploys with\n  the account rosa-ops\nmetadata:\n  type: project',
    ],
  ])('a memory file whose front matter describes a fact %s, is read with it', (_how, front) => {
    const { records, skipped, problems } = file(`name: Deploy identity\n${front}`);
    expect(records.map(({ line, record }) => [line, record.content])).toEqual([
      [3, 'Rosa deploys with the account rosa-ops'],
      [front.split('\n').length + 4, 'Host: kestrel'],
    ]);
    expect([skipped, problems]).toEqual([[], []]);
  });

  it('any other file with a description, is read without it', () => {
    for (const front of ['name: Page\ndescription: What it is about', 'description: x y\ntype: user'])
      expect(contents(file(front))).toEqual(['Host: kestrel']);
  });

  it.each([
    ['date: 2026-02-03\ncreated: 2026-01-01', 'plan.md', '2026-02-03T23:59:59.999Z'],
    ['created: 2026-02-03T10:00:00+02:00', 'plan.md', '2026-02-03T08:00:00.000Z'],
    ["date: '2026-02-03'", '2026-01-05.md', '2026-01-05T23:59:59.999Z'],
    ['date: 2026-02-30', 'plan.md', '2026-05-01T12:00:00.000Z'],
    ['date: 2126-02-03', 'plan.md', '2026-05-01T12:00:00.000Z'],
    ['title: none', 'plan.md', '2026-05-01T12:00:00.000Z'],
  ])('front matter with %j in %s, dates the file %s', (front, path, at) => {
    const { records } = file(front, path);
    expect(records.map(({ record }) => new Date(record.date).toISOString())).toEqual([at]);
  });
});

describe('the format of a file', () => {
  const entry = JSON.stringify(MEM0);
  it.each([
    ['a.af', '', 'letta'],
    ['a.json', JSON.stringify(AGENT), 'letta'],
    ['a.json', JSON.stringify(JSON.stringify(AGENT)), 'letta'],
    ['a.json', JSON.stringify([{ id: 'p', text: 'x' }]), 'letta'],
    ['human.txt', 'x', 'letta'],
    ['a.json', `[${entry}]`, 'mem0'],
    ['a.json', JSON.stringify({ results: [MEM0] }, null, 2), 'mem0'],
    ['a.json', `[\n${`${entry},\n`.repeat(500)}${entry}]`, 'mem0'],
    ['a.json', '{"results":[]}', 'mem0'],
    ['a.json', '{"user":"ana","content":"x"}\n{"user":"ana","content":"y"}\n', 'jsonl'],
    ['a.json', '{"user":"ana","content":"x"}', 'jsonl'],
    ['a.jsonl', entry, 'jsonl'],
    ['a.txt', '[x', 'text'],
    ['MEMORY.md', '{', 'markdown'],
    ['notes', 'just text', 'text'],
    ['', '', 'text'],
  ])('of %s, by how it begins (case %#)', (file, head, format) => {
    expect(detectImport(file, head)).toBe(format);
    expect(detectImport(file, Buffer.from(head))).toBe(format);
  });
});

describe('whatever a file holds', () => {
  const mutated = fc
    .tuple(
      fc.constantFrom(JSON.stringify({ results: [MEM0, MEM0] }), JSON.stringify(AGENT), '# A\n- b\n'),
      fc.nat(),
      fc.string({ unit: CODE_POINT, maxLength: 8 }),
    )
    .map(
      ([text, at, noise]) =>
        `${text.slice(0, at % text.length)}${noise}${text.slice((at % text.length) + (at % 3))}`,
    );
  const anything = fc.oneof(
    mutated,
    fc.string({ unit: CODE_POINT }),
    fc.json(),
    fc.json().map((text) => `{"results":[${text}]}`),
    fc.json().map((text) => `{"agents":[${text}],"blocks":[${text}],"passages":[${text}]}`),
  );

  it('nothing is thrown, and what is read is a line that the import takes, with the same name the next time', async () => {
    await fc.assert(
      fc.asyncProperty(
        anything,
        fc.constantFrom(...FOREIGN_FORMATS),
        fc.constantFrom('a.json', 'a.af', '2026-01-02.md', ''),
        async (text, format, path) => {
          const given = options({ path });
          const result = readForeign(text, format, given);
          expect(readForeign(text, format, given)).toEqual(result);
          detectImport(path, text);
          const lines = linesOf(result.records);
          for await (const line of parseImport(lines.text, { format: 'jsonl', now: AT })) {
            expect(lines.origin(line.line)).toBe(result.records[line.line - 1]!.line);
            // Dates that lie ahead and metadata that cannot be stored are refused there, by their line.
            if (!line.ok)
              expect(
                line.reason.problems.every(({ field }) =>
                  ['date', 'metadata', 'expiresAt', 'user', 'content'].includes(field ?? ''),
                ),
              ).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a file that is too large, no text, or nested without end is one problem', () => {
    expect(readForeign('x'.repeat(20), 'markdown', options({ charsMax: 10 })).problems[0]?.code).toBe(
      'too_large',
    );
    expect(readForeign('a\0b', 'mem0', options()).problems[0]?.code).toBe('not_text');
    const nested = `${'{"data":'.repeat(5_000)}[]${'}'.repeat(5_000)}`;
    expect(readForeign(nested, 'mem0', options()).problems[0]?.code).toBe('unknown_shape');
    const many = readForeign('- a\n- b\n- c\n', 'markdown', options({ entriesMax: 2 }));
    expect([many.records.length, many.problems]).toEqual([
      2,
      [expect.objectContaining({ line: 3, code: 'too_many' })],
    ]);
    expect(read({ a: 1 }, 'letta').problems[0]?.code).toBe('unknown_shape');
    expect(read('{', 'mem0').problems[0]?.code).toBe('invalid_json');
  });
});
