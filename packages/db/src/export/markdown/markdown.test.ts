import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../../test/fixtures/code-point.ts';
import { safeName } from './names.ts';
import { bullet } from './text.ts';
import { createMarkdownExport } from './write.ts';

const owner = { tenant: 't', user: 'Ana/../x' };
const idOf = (n: number): string => `0199d0aa-0000-7000-8000-00000000000${n}`;

function memory(
  n: number,
  content: string,
  more: Record<string, unknown> = {},
  state: Record<string, unknown> = {},
) {
  return {
    kind: 'memory',
    ...owner,
    content,
    category: 'fact',
    memoryType: 'regular',
    importance: 5,
    date: `2026-01-0${n}T00:00:00Z`,
    ...more,
    state: { id: idOf(n), isLatest: true, ...state },
  };
}

async function pagesOf(lines: object[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const pages = createMarkdownExport(async (path, content) => void files.set(path, content));
  const all = [
    { kind: 'slowwave-export', version: 1 },
    { kind: 'user', ...owner, timezone: 'UTC' },
    ...lines,
    { kind: 'end' },
  ];
  await pages.take(all.map((line) => JSON.stringify(line)));
  return files;
}

describe('pages', () => {
  it('show latest, archived and superseded memories, derived ones with what they were made of', async () => {
    const files = await pagesOf([
      memory(1, 'Ana cycles.', { memoryType: 'superseded' }, { isLatest: false, supersededBy: idOf(3) }),
      memory(2, 'Ana rows.', {}, { archivedAt: '2026-02-01T00:00:00Z' }),
      memory(3, 'Ana does sports.', { memoryType: 'derived' }),
      memory(4, '# No heading\n- no bullet <!-- no comment', { category: 'preference' }),
      { kind: 'relation', ...owner, sourceId: idOf(3), targetId: idOf(1), relationType: 'DERIVES' },
      {
        kind: 'conflict',
        ...owner,
        aId: idOf(2),
        bId: idOf(3),
        status: 'resolved',
        type: 'contradictory',
        description: 'Two sports.',
        winner: idOf(3),
        resolution: 'newest',
        detectedAt: '2026-03-01T00:00:00Z',
      },
      { kind: 'document', ...owner, workspace: 'notes', path: 'MEMORY.md', content: '\ufeff# Mine\r\n' },
      { kind: 'document', ...owner, workspace: 'notes', path: 'pets/', content: '' },
      { kind: 'document', ...owner, workspace: 'notes', path: 'pets/cats.md', content: 'Tom' },
    ]);
    const folder = safeName(owner.user);
    expect([...files.keys()]).toEqual([
      `${folder}/workspaces/notes/MEMORY.md`,
      `${folder}/workspaces/notes/${safeName('pets/cats.md', '.md')}`,
      `${folder}/memories/fact.md`,
      `${folder}/memories/preference.md`,
      `${folder}/conflicts.md`,
      `${folder}/MEMORY.md`,
    ]);
    expect(files.get(`${folder}/workspaces/notes/MEMORY.md`)).toBe('\ufeff# Mine\r\n');
    expect(files.get(`${folder}/memories/fact.md`)).toBe(
      [
        '# fact',
        '',
        '## Latest',
        '',
        '- Ana does sports.',
        `  *2026-01-03, importance 5, derived* <!-- ${idOf(3)} -->`,
        '  - made of: Ana cycles.',
        '',
        '## Archived',
        '',
        '- Ana rows.',
        `  *2026-01-02, importance 5* <!-- ${idOf(2)} -->`,
        '',
        '## Superseded',
        '',
        '- Ana cycles.',
        `  *2026-01-01, importance 5* <!-- ${idOf(1)} -->`,
        '  - superseded by: Ana does sports.',
        '',
      ].join('\n'),
    );
    expect(files.get(`${folder}/memories/preference.md`)).toContain(
      '- \\# No heading\n  \\- no bullet &lt;!-- no comment\n',
    );
    expect(files.get(`${folder}/conflicts.md`)).toContain(
      '## Settled\n\n- 2026-03-01 contradictory: Two sports.\n  - Ana rows.\n  - stands: Ana does sports.\n  - settled: newest\n',
    );
    expect(files.get(`${folder}/MEMORY.md`)).toContain(
      '- [fact](memories/fact.md): 1 latest, 1 archived, 1 superseded',
    );
    expect(files.get(`${folder}/MEMORY.md`)).toContain(
      '[workspaces/notes/MEMORY.md](workspaces/notes/MEMORY.md)',
    );
  });
});

describe('a safe name', () => {
  it.each([
    ['ana', 'ana'],
    ['ana.b-c_1', 'ana.b-c_1'],
  ])('of %s is %s', (text, name) => expect(safeName(text)).toBe(name));

  it.each([
    'Ana',
    '..',
    '.',
    '',
    '/etc/passwd',
    '..\\x',
    'con',
    'nul.txt',
    'a b',
    'ä',
    'x'.repeat(200),
    '.ssh',
    'a\n',
    'a:b',
    'ana-0123456789',
  ])('of %j leaves no folder', (text) => {
    const name = safeName(text);
    expect(name).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}._-]*-[0-9a-f]{10}$/u);
    expect(name.length).toBeLessThan(140);
  });

  it('is never shared, also where case does not count', () => {
    const text = fc.oneof(
      fc.string({ unit: CODE_POINT }),
      fc.constantFrom('ana', 'ANA', 'Ana', 'a/na', 'a-na', 'con', '.'),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a !== b);
        expect(safeName(a, '.md').toLowerCase()).not.toBe(safeName(b, '.md').toLowerCase());
      }),
    );
  });

  it('is no path, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 300 }), (text) => {
        const name = safeName(text, '.md');
        expect(name).toMatch(/^[^/\\\0:<>|?*"\s]+\.md$/);
        expect(name.startsWith('.')).toBe(false);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      }),
    );
  });
});

describe('a bullet', () => {
  it('stays one bullet, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const lines = bullet(text).split('\n');
        expect(lines[0]?.startsWith('- ')).toBe(true);
        for (const line of lines.slice(1)) expect(line).toMatch(/^$|^ {2}(?![#>+*=|~`-]|\s*$|<)/);
      }),
    );
  });
});
