import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import {
  getDefaultDailyMemoryScaffold,
  getDefaultDreamsScaffold,
  getDefaultLongTermMemoryScaffold,
} from '../files/scaffolds.ts';
import { readBlocks } from './blocks.ts';
import { plainText } from './inline.ts';

const ID = '01890000-0000-7000-8000-0000000000aa';
const read = (text: string, path = 'MEMORY.md') => readBlocks(text, { path, day: null });
const said = (text: string) => read(text).map(({ content }) => content);
const seen = (text: string) => read(text).map(({ headings, content }) => [...headings, content]);

describe('the blocks of a file', () => {
  it('are bullets, paragraphs, rows and code, below their headings and with their lines', () => {
    const text = [
      '# Atlas',
      'We build it in',
      'two parts.',
      '## Hosts',
      '| Name | IP |',
      '|------|:--:|',
      '| web \\| www | 10.0.0.1 |',
      '### Deploy',
      '* ship it',
      '```sh',
      '# no heading',
      '- no bullet',
      '```',
      'Later',
      '=====',
      '1. first',
    ].join('\n');
    expect(
      read(text).map(({ kind, headings, content, startLine, endLine }) => [
        kind,
        headings.join(' / '),
        content,
        startLine,
        endLine,
      ]),
    ).toEqual([
      ['paragraph', 'Atlas', 'We build it in two parts.', 2, 3],
      ['row', 'Atlas / Hosts', 'Name: web | www; IP: 10.0.0.1', 7, 7],
      ['bullet', 'Atlas / Hosts / Deploy', 'ship it', 9, 9],
      ['code', 'Atlas / Hosts / Deploy', '```sh\n# no heading\n- no bullet\n```', 10, 13],
      ['bullet', 'Later', 'first', 16, 16],
    ]);
  });

  it('keep nested bullets that explain their parent, and take those below a mere label apart', () => {
    const text =
      '- Use pnpm\n  - it is fast\n    - really\n- Deploy:\n  - port 8443\n  - host a\n\nServers:\n- web\n- db\n';
    expect(seen(text)).toEqual([
      ['Use pnpm\n- it is fast\n  - really'],
      ['Deploy', 'port 8443'],
      ['Deploy', 'host a'],
      ['Servers', 'web'],
      ['Servers', 'db'],
    ]);
  });

  it('hold plain text: no boxes, no marks, readable links, code as it is', () => {
    expect(
      said(
        '- [x] **Use** _pnpm_, see [the docs](https://a.b/c "t") and `npm *i*`\n- snake_case_name, 2*3*4, \\*kept\\*\n- [[Page|this page]] <https://a.b> <b>bold</b>\n',
      ),
    ).toEqual([
      'Use pnpm, see the docs (https://a.b/c) and `npm *i*`',
      'snake_case_name, 2*3*4, *kept*',
      'this page https://a.b bold',
    ]);
  });

  it('leave out what nobody said: front matter, comments, forms, what is struck out', () => {
    const text =
      '---\ntitle: x\n---\n<!-- a\nb -->\n- **Name:**\n- ~~gone~~\n- kept <!-- remark -->\n\n_(to be filled in)_\n[ref]: https://a.b\n***\n- \n';
    expect(said(text)).toEqual(['kept']);
    for (const scaffold of [
      getDefaultLongTermMemoryScaffold(),
      getDefaultDailyMemoryScaffold(new Date(0)),
      getDefaultDreamsScaffold(),
    ])
      expect(said(scaffold)).toEqual([]);
  });

  it('DR-07 leave out what a projection wrote: managed regions, marked lines, entries of a diary', () => {
    const text = `- mine\n<!-- slowwave:begin -->\n## Remembered\n- ours <!-- slowwave:${ID} -->\n- more\n<!-- slowwave:end -->\n- yours\n- moved <!-- slowwave:${ID} -->\n<!-- slowwave:run ${ID} -->\nA dream.\n<!-- slowwave:run-end -->\n- last\n`;
    expect(said(text)).toEqual(['mine', 'yours', 'last']);
    expect(read('- anything', 'DREAMS.md')).toEqual([]);
  });

  it('are not lost to what somebody opened and never closed', () => {
    expect(said('- one\n<!-- slowwave:begin -->\n- two\n<!-- oops\n- three\n```\n- four\n')).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
  });

  it('have a hash of what they say, whatever the marks and ends of lines, and equal ones are counted', () => {
    const [a, b] = read('## Rules\r\n- **Use** pnpm\r\n- Use  pnpm\r\n');
    expect([a!.hash, a!.occurrence, b!.occurrence]).toEqual([b!.hash, 1, 2]);
    expect(read('## Rules\n- [ ] Use pnpm')[0]!.hash).toBe(a!.hash);
    expect(read('## Other\n- Use pnpm')[0]!.hash).not.toBe(a!.hash);
    const title = read('# Daily Memory 2026-05-01\n\n- x')[0]!;
    expect([title.headings, title.hash]).toEqual([[], read('- x')[0]!.hash]);
  });

  const piece = fc.constantFrom(
    '- ',
    '  - ',
    '# ',
    '```',
    '~~~',
    '|',
    '---',
    '<!--',
    '-->',
    '**',
    '_',
    '`',
    '[',
    '](',
    ')',
    ':',
    ' ',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    'word',
    '日本',
    '~~',
    '\\',
    '<!-- slowwave:begin -->\n',
    '<!-- slowwave:end -->\n',
  );

  it('are found in any text, in order, within it and without marks of ours', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ arbitrary: piece, weight: 5 }, fc.string({ unit: CODE_POINT, maxLength: 5 })), {
          maxLength: 60,
        }),
        (pieces) => {
          const text = pieces.join('');
          const lines = text.split('\n').length;
          const blocks = read(text);
          const keys = blocks.map(({ hash, occurrence }) => `${hash} ${occurrence}`);
          expect(new Set(keys).size).toBe(keys.length);
          for (const { content, startLine, endLine } of blocks) {
            expect(content.trim()).not.toBe('');
            expect(content).not.toMatch(/[\p{Surrogate}\0]/u);
            expect(startLine >= 1 && startLine <= endLine && endLine <= lines).toBe(true);
          }
          expect(read(text)).toEqual(blocks);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are told plainly, and telling them plainly again changes no plain words', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Ana', 'likes', 'tea', '日本', '42', 'a_b', 'x-y'), { minLength: 1 }),
        (words) => {
          const text = words.join(' ');
          expect(plainText(text)).toBe(text);
          expect(plainText(`**${text}**`)).toBe(text);
          expect(plainText(`*${text}*`)).toBe(text);
        },
      ),
    );
  });

  it('are found in linear time in a hostile file', () => {
    const hostile = ['*', '_a', '[', '![', '](', '<!--', '`', '~~', '- ', '  ', '#', '|', '> ', '<b '].map(
      (mark) => mark.repeat(100_000),
    );
    for (const text of hostile) read(text);
    read(
      '- '
        .repeat(3_000)
        .split(' ')
        .map((mark, at) => `${' '.repeat(at % 400)}${mark} x`)
        .join('\n'),
    );
    read(Array.from({ length: 20_000 }, (_, at) => `${'`'.repeat(3 + (at % 90))}x`).join('\n'));
  });
});
