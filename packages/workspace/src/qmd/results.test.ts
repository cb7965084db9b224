import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectTarget } from './commands.ts';
import { documentOf, hitOf, parseQmdOutput } from './results.ts';

const target = projectTarget('/srv/project');
const name = target.collection;

// As qmd 2.8 prints it for `search --json`.
const FIXTURE = JSON.stringify([
  {
    docid: '#3f2a1b',
    score: 0.83,
    file: `qmd://${name}/memory.md`,
    line: 5,
    title: 'Project Memory',
    context: 'Project memory',
    snippet:
      '@@ -4,4 @@ (3 before, 2 after)\n\n## Decisions\n- The queue runs on Valkey\n- Ports are above 7000',
  },
  {
    docid: '#9c8d7e',
    score: 0,
    file: `qmd://${name}/2026-04-19.md`,
    line: 2,
    title: '2026-04-19',
    snippet: '@@ -2 @@ (1 before, 0 after)\n- Valkey restarted twice...',
  },
]);
const MEMORY = [
  '# Project Memory',
  '',
  'Words.',
  '',
  '## Decisions',
  '- The queue runs on Valkey',
  '- Ports are above 7000',
  '- More',
].join('\n');

describe('rows of qmd', () => {
  it('QM-01 have the path, the lines and the text that qmd found', () => {
    const rows = parseQmdOutput(FIXTURE, target);
    expect(hitOf(rows[0]!, MEMORY, ['valkey'], 'qmd')).toEqual({
      path: '.fusion/memory/MEMORY.md',
      lineStart: 4,
      lineEnd: 7,
      snippet: '## Decisions\n- The queue runs on Valkey\n- Ports are above 7000',
      score: 1.83,
      backend: 'qmd',
    });
    const daily = '# Daily\n- Valkey restarted twice in the night';
    expect(hitOf(rows[1]!, daily, ['valkey'], 'qmd')).toEqual({
      path: '.fusion/memory/2026-04-19.md',
      lineStart: 2,
      lineEnd: 2,
      snippet: '- Valkey restarted twice',
      score: 1,
      backend: 'qmd',
    });
  });

  it('QM-01 without a header begin at the line that is told', () => {
    const answer = [{ file: 'MEMORY.md', line: 6, score: 0.5, snippet: '- The queue runs on Valkey' }];
    const [row] = parseQmdOutput(JSON.stringify({ results: answer }), target);
    expect(hitOf(row!, MEMORY, [], 'qmd')).toMatchObject({ lineStart: 6, lineEnd: 6, score: 0.5 });
  });

  it('QM-04 are found where their text has moved to, and dropped when it is gone', () => {
    const [row] = parseQmdOutput(FIXTURE, target);
    const moved = `one\ntwo\nthree\n${MEMORY}`;
    expect(hitOf(row!, moved, ['valkey'], 'qmd')).toMatchObject({ lineStart: 7, lineEnd: 10 });
    expect(hitOf(row!, 'something else', ['valkey'], 'qmd')).toBeNull();
  });

  it.each([
    [`qmd://${name}/memory.md`, 'MEMORY.md'],
    [`qmd://${name}/MEMORY.md?x=1#L5`, 'MEMORY.md'],
    [`qmd://${name}/dreams.md`, 'DREAMS.md'],
    [`qmd://${name}/2026-04-19.md`, '2026-04-19.md'],
    ['./.fusion/memory/memory.md', 'MEMORY.md'],
    ['.fusion/memory.md', 'MEMORY.md'],
    ['.fusion\\memory\\DREAMS.md', 'DREAMS.md'],
    ['/srv/project/.fusion/memory/2026-04-19.md', '2026-04-19.md'],
    ['memory/MEMORY.md', 'MEMORY.md'],
    [`qmd://${name}/memory-insights.md`, null],
    [`qmd://${name}/memory-audit.md`, null],
    [`qmd://${name}/sub/memory.md`, null],
    [`qmd://${name}/../memory.md`, null],
    [`qmd://${name}/2026-13-99.md`, null],
    ['qmd://fusion-memory-other-000000000000/memory.md', null],
    ['/srv/other/.fusion/memory/MEMORY.md', null],
    ['/etc/passwd', null],
    ['x/y/memory.md', null],
    ['.fusion/dreams.md', null],
    ['', null],
  ])('QM-04 the path %j', (file, document) => {
    expect(documentOf(file, target)).toBe(document);
  });

  it.each(['', '<html>', '{}', 'null', '3', '"x"', '{"results": 1}'])('QM-02 no answer: %j', (stdout) => {
    expect(() => parseQmdOutput(stdout, target)).toThrow(expect.objectContaining({ reason: 'output' }));
  });

  it('QM-02 whatever else it prints, hits are lines that are there', () => {
    const row = fc.record(
      {
        file: fc.constantFrom('memory.md', 'x', 3, null),
        line: fc.oneof(fc.integer(), fc.constant(null), fc.double()),
        snippet: fc.oneof(
          fc.constantFrom(
            '@@ -99999,3 @@\n- More',
            '@@ -0,0 @@\nWords.',
            '@@ -1,999999999 @@\n# Project',
            '\n\n',
            '- More',
          ),
          fc.string(),
        ),
        score: fc.oneof(fc.double(), fc.constant('x')),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(row, fc.anything())), (answer) => {
        let stdout: string | undefined;
        try {
          stdout = JSON.stringify(answer);
        } catch {
          return;
        }
        for (const found of parseQmdOutput(stdout, target)) {
          const hit = hitOf(found, MEMORY, ['more'], 'qmd');
          if (hit === null) continue;
          const lines = MEMORY.split('\n').slice(hit.lineStart - 1, hit.lineEnd);
          expect(lines).toHaveLength(hit.lineEnd - hit.lineStart + 1);
          expect(lines.join('\n')).toContain(hit.snippet);
          expect(Number.isFinite(hit.score)).toBe(true);
        }
      }),
    );
  });
});
