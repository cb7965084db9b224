import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { readInsightsFile } from './insights-file.ts';
import { planMerge } from './merge.ts';
import { getDefaultInsightsTemplate } from './template.ts';
import { INSIGHT_CATEGORIES, type MemoryInsight, type MemoryInsightCategory } from './types.ts';

const DATE = new Date('2026-05-01T12:00:00.000Z');
const insight = (
  content: string,
  category: MemoryInsightCategory = 'pattern',
  source?: string,
): MemoryInsight => ({
  category,
  content,
  extractedAt: DATE.toISOString(),
  ...(source === undefined ? {} : { source }),
});
const merge = (existing: string, ...insights: MemoryInsight[]) => planMerge(existing, insights, DATE).content;

describe('merging of insights', () => {
  it('puts each below its heading, after what stands there, and dates the file', () => {
    const existing =
      '# Mine\n\n## Pitfalls\n- Old.\n\n  more of it\n\n## Patterns\nText\n\n## Last Updated: 2026-01-01\n';
    expect(merge(existing, insight('A.'), insight('B.', 'pitfall', 'Notes'), insight('C.', 'context'))).toBe(
      '# Mine\n\n## Pitfalls\n- Old.\n\n  more of it\n- B. (source: Notes)\n\n## Patterns\nText\n- A.\n\n## Context\n- C.\n\n## Last Updated: 2026-05-01\n',
    );
  });

  it('makes a missing section at the end of a file without a date, whatever its end', () => {
    for (const existing of ['# Mine\n- x', '# Mine\n- x\n', '# Mine\n- x\n\n\n']) {
      expect(merge(existing, insight('A.'))).toBe('# Mine\n- x\n\n## Patterns\n- A.\n');
    }
    expect(merge('# Mine', insight('A.'))).toBe('# Mine\n\n## Patterns\n- A.\n');
  });

  it('keeps the line ends of a file', () => {
    expect(
      merge(
        '## Patterns\r\n- x\r\n\r\n## Last Updated: 2026-01-01\r\n',
        insight('A.'),
        insight('B.', 'context'),
      ),
    ).toBe('## Patterns\r\n- x\r\n- A.\r\n\r\n## Context\r\n- B.\r\n\r\n## Last Updated: 2026-05-01\r\n');
  });

  it('IN-06 takes no heading in a code block, a comment or a bullet for a section', () => {
    const decoys = '```\n## Patterns\n```\n<!--\n## Patterns\n-->\n- ## Patterns\n### Patterns\n';
    expect(merge(`${decoys}## Patterns\n`, insight('A.'))).toBe(`${decoys}## Patterns\n- A.\n`);
  });

  it('IN-04 knows what is said in the same words, and takes no part of a text for it', () => {
    const existing =
      '## Patterns\n- Use `async` functions everywhere (source: FN-1)\n- It goes\n  on here.\n';
    for (const known of [
      'use "async" functions  everywhere!',
      'Use **async** functions\neverywhere',
      'IT GOES ON HERE',
    ])
      expect(planMerge(existing, [insight(known)], DATE)).toEqual({
        content: existing,
        added: 0,
        duplicates: 1,
      });
    for (const other of ['Patterns', 'Use async functions', 'Never use async functions everywhere', 'async'])
      expect(planMerge(existing, [insight(other)], DATE)).toMatchObject({ added: 1, duplicates: 0 });
  });

  it('IN-05 adds one line per insight and touches no other, whatever the insights hold; a second time adds nothing', () => {
    const nasty = fc.constantFrom(
      '## Context',
      '\n',
      '<!--',
      '-->',
      '```',
      '~~~',
      '- ',
      '# ',
      ' (source: x)',
      '\r',
      '\u2028',
      '\\',
    );
    const text = fc.array(
      fc.oneof(nasty, fc.string({ unit: CODE_POINT, maxLength: 8 }), fc.lorem({ maxCount: 3 })),
      { maxLength: 6 },
    );
    const one = fc
      .tuple(text, fc.constantFrom(...INSIGHT_CATEGORIES), text)
      .map(([content, category, source]) => insight(`a${content.join('')}`, category, source.join('')));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), (insights) => {
        const base = getDefaultInsightsTemplate(DATE);
        const plan = planMerge(base, insights, DATE);
        const lines = plan.content.split('\n');
        expect(plan.added + plan.duplicates).toBe(insights.length);
        expect(lines).toHaveLength(base.split('\n').length + plan.added);
        expect(lines.filter((line) => !line.startsWith('- '))).toEqual(base.split('\n'));
        const { categories } = readInsightsFile(plan.content);
        expect(INSIGHT_CATEGORIES.reduce((sum, category) => sum + categories[category], 0)).toBe(plan.added);
        expect(planMerge(plan.content, insights, DATE)).toMatchObject({ content: plan.content, added: 0 });
      }),
    );
  });
});
