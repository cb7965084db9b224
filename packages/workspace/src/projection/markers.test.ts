import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { outsideEntries, planDreams } from './entries.ts';
import { bare, escapeLine, linesOf, markerOf, marksIn, memoryLine, RegionRefused } from './markers.ts';
import { outsideRegion, parseRegion, replaceRegion } from './region.ts';

const ID = '01890000-0000-7000-8000-00000000000a';
const RUN = (n: number): string => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const BEGIN = '<!-- slowwave:begin -->';
const END = '<!-- slowwave:end -->';

/** Pieces of which mischief is made. */
const piece = fc.oneof(
  fc.constantFrom('\n', '\r\n', '\r', '\t', ' ', '\0', '\u2028', '\u0085', '<!--', '-->', '--!>', '<', '>'),
  fc.constantFrom(
    BEGIN,
    END,
    '<!-- slowwave:run-end -->',
    `<!-- slowwave:${ID} -->`,
    `<!-- slowwave:run ${ID} -->`,
  ),
  fc.constantFrom(
    '# ',
    '- ',
    '* ',
    '1. ',
    '---',
    '```',
    '> ',
    '[x] ',
    '<script>',
    '\ud800',
    '\udc00',
    '😀',
    'slowwave:',
  ),
  fc.string({ unit: CODE_POINT, maxLength: 12 }),
);
const nasty = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
/** What a user may have in a document: anything but lines that are markers. */
const userText = nasty.map((text) =>
  linesOf(text)
    .filter((line) => markerOf(bare(line)) === null)
    .join(''),
);
const isOrdinary = (text: string): boolean => linesOf(text).every((line) => markerOf(bare(line)) === null);

describe('a memory on a line', () => {
  it('is one line with one mark, whatever it says', () => {
    fc.assert(
      fc.property(nasty, (content) => {
        const line = memoryLine({ id: ID, content });
        if (line === null) return;
        expect(line.split(/[\n\r\u2028\u2029\u0085\v\f]/)).toHaveLength(1);
        expect(marksIn(line)).toEqual([ID]);
        expect(markerOf(line)).toBeNull();
        const text = line.slice(2, -` <!-- slowwave:${ID} -->`.length);
        expect(text).not.toMatch(/<!|-->|--!>|<[a-z/?]/i);
        expect(text).not.toMatch(/^(#|>|```|~~~|[-+*]\s|\d+[.)]\s|\[)/);
        expect(text).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['# A heading', '\\# A heading'],
    ['1. first', '1\\. first'],
    ['- nested', '\\- nested'],
    ['a <!-- slowwave:end --> b', 'a &lt;!-- slowwave:end --&gt; b'],
    ['3 < 4 and -5', '3 < 4 and -5'],
    ['two\n\nlines', 'two lines'],
    ['-5 degrees', '-5 degrees'],
    [' \n\0 ', ''],
  ])('%j is %j', (text, escaped) => {
    expect(escapeLine(text, 100)).toBe(escaped);
  });

  it('is cut between characters', () => {
    expect(escapeLine('😀'.repeat(9), 4)).toBe('😀😀😀…');
  });
});

describe('a managed region', () => {
  const lines = fc.array(
    nasty.map((content) => memoryLine({ id: ID, content })).filter((line) => line !== null),
    { maxLength: 4 },
  );

  it('DR-05 leaves any text around it byte for byte, however often it is replaced', () => {
    fc.assert(
      fc.property(userText, lines, lines, (text, first, second) => {
        fc.pre(isOrdinary(text));
        const once = replaceRegion(text, first);
        expect(outsideRegion(once)).toBe(text);
        expect(parseRegion(once, 'MEMORY.md')?.lines).toEqual(first);
        expect(replaceRegion(once, first)).toBe(once);
        const twice = replaceRegion(once, second);
        expect(twice).toBe(replaceRegion(text, second));
        expect(outsideRegion(twice)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('DR-05 leaves text on both sides as it is, wherever a hand moved the region', () => {
    fc.assert(
      fc.property(userText, userText, lines, (before, after, some) => {
        fc.pre(isOrdinary(before) && isOrdinary(after));
        const head = before === '' || before.endsWith('\n') ? before : `${before}\n`;
        const text = `${head}${BEGIN}\nold\n${END}\n${after}`;
        const next = replaceRegion(text, some);
        expect(next.startsWith(head)).toBe(true);
        expect(next.endsWith(`\n${after}`)).toBe(true);
        expect(outsideRegion(next)).toBe(outsideRegion(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps CRLF, a missing final line end and the line end of the last marker', () => {
    expect(replaceRegion('a\r\nb', ['- x'])).toBe(`a\r\nb\r\n${BEGIN}\r\n- x\r\n${END}\r\n`);
    expect(replaceRegion('a', ['- x'])).toBe(`a\n${BEGIN}\n- x\n${END}\n`);
    expect(replaceRegion(`a\n${BEGIN}\n- x\n${END}`, ['- y'])).toBe(`a\n${BEGIN}\n- y\n${END}`);
    expect(replaceRegion('', ['- x'])).toBe(`${BEGIN}\n- x\n${END}\n`);
    expect(replaceRegion(`\n${BEGIN}\n${END}\nz`, ['- y'])).toBe(`\n${BEGIN}\n- y\n${END}\nz`);
  });

  it.each([
    ['several_regions', `${BEGIN}\n${END}\n${BEGIN}\n${END}\n`],
    ['broken_region', `${BEGIN}\n- x\n`],
    ['broken_region', `- x\n${END}\n`],
    ['broken_region', `${END}\n${BEGIN}\n`],
    ['broken_region', `${BEGIN}\n${BEGIN}\n${END}\n`],
  ])('is refused as %s', (code, text) => {
    const refused = expect.objectContaining({ name: 'RegionRefused', code });
    expect(() => replaceRegion(text, ['- x'])).toThrow(refused);
  });

  it.each([`${BEGIN}\r\r`, `${BEGIN}\r\r\n`])('takes one line end off a line, and no more: %j', (text) => {
    expect(parseRegion(text, 'MEMORY.md')).toBeNull();
    expect(outsideRegion(replaceRegion(text, ['- x']))).toBe(text);
  });

  it('is no matter of markers inside a sentence', () => {
    expect(parseRegion(`see ${BEGIN} and\n\`${END}\`\n`, 'MEMORY.md')).toBeNull();
  });
});

describe('a diary', () => {
  const dreams = (
    content: string | null,
    runId: string,
    more: Partial<Parameters<typeof planDreams>[0]> = {},
  ) =>
    planDreams({
      content,
      heading: '# Dreams\n',
      runId,
      entry: ['## A night', '', `- a thought <!-- slowwave:${ID} -->`],
      forgotten: new Set(),
      keep: 90,
      path: 'DREAMS.md',
      ...more,
    });

  it('DR-04 has one entry per run, and leaves what the user wrote byte for byte', () => {
    fc.assert(
      fc.property(userText, fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 }), (text, nights) => {
        fc.pre(isOrdinary(text));
        let content = text;
        const seen = new Set<number>();
        for (const night of nights) {
          const plan = dreams(content, RUN(night), { keep: 4 });
          expect(plan.added).toBe(!content.includes(`<!-- slowwave:run ${RUN(night)} -->`));
          content = plan.content;
          expect(plan.entries).toBeLessThanOrEqual(4);
          expect(outsideEntries(content)).toBe(text);
          seen.add(night);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lets the oldest go and keeps what a hand wrote between and into entries', () => {
    let content = dreams(null, RUN(1)).content.replace('a thought', 'my thought');
    content = `${content}between\n`;
    content = dreams(content, RUN(2)).content;
    expect(dreams(content, RUN(1))).toMatchObject({ content, added: false });
    expect(content).toContain('my thought');
    const plan = dreams(content, RUN(3), { keep: 2 });
    expect(plan).toMatchObject({ entries: 2, rotated: 1 });
    expect(plan.content).not.toContain(RUN(1));
    expect(plan.content.startsWith('# Dreams\nbetween\n')).toBe(true);
  });

  it('cuts lines about what was forgotten', () => {
    const { content } = dreams(null, RUN(1));
    const plan = dreams(content, RUN(1), { forgotten: new Set([ID]) });
    expect(plan).toMatchObject({ forgotten: 1, added: false });
    expect(plan.content).toBe(content.replace(/- a thought.*\n/, ''));
  });

  it.each([`<!-- slowwave:run ${ID} -->\nx\n`, 'x\n<!-- slowwave:run-end -->\n'])(
    'is refused when broken',
    (text) => {
      expect(() => dreams(text, RUN(1))).toThrow(RegionRefused);
      expect(() => dreams(text, RUN(1))).toThrow(expect.objectContaining({ code: 'broken_entry' }));
    },
  );
});
