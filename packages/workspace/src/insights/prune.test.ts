import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REGION_BEGIN, REGION_END } from '../projection/markers.ts';
import { outline } from './outline.ts';
import { judgePrune, lossOf, validatePruneCandidate } from './prune.ts';

const ANY = { maxLoss: 1, smallLoss: 0, minLeft: 0 };

describe('pruning', () => {
  it('asks for two of three sections; Architecture and Decisions are one', () => {
    const valid = (text: string) => validatePruneCandidate(text).valid;
    expect(valid('## Decisions\n\n## Pitfalls')).toBe(true);
    expect(valid('## Architecture notes\n## Conventions')).toBe(true);
    expect(valid('## Architecture\n## Decisions')).toBe(false);
    expect(valid('### Architecture\n### Conventions\n### Pitfalls')).toBe(false);
    expect(valid('```\n## Architecture\n## Conventions\n```')).toBe(false);
    expect(valid('- ## Architecture\n- ## Conventions')).toBe(false);
  });

  it('counts what is lost by words, as often as they stand there', () => {
    expect(lossOf('one two two three', 'Two, one.')).toEqual({ total: 14, lost: 8 });
    expect(lossOf('über Größe 7', 'größe ÜBER 7')).toEqual({ total: 10, lost: 0 });
  });

  it('leaves a file that never had the sections to its own ones', () => {
    const text = `# Mine\n\n## Likes\n${'- A line that stays as it is.\n'.repeat(10)}- A line that goes.\n`;
    expect(judgePrune(text, text.replace('- A line that goes.\n', ''))).toMatchObject({ ok: true });
  });

  it('IN-07 refuses what leaves next to nothing', () => {
    expect(
      judgePrune('## Decisions\n- a\n## Pitfalls\n- b', '## Decisions\n- a\n## Pitfalls', ANY),
    ).toMatchObject({ ok: true });
    expect(judgePrune('## Decisions\n- a\n## Pitfalls\n- b', '## Decisions\n- a\n## Pitfalls')).toEqual({
      ok: false,
      refusal: 'floor',
    });
  });

  it('keeps lines byte for byte, and what we wrote where it stands, whichever lines a candidate leaves out', () => {
    const line = fc.constantFrom(
      '## A',
      '- one',
      '- one',
      '  - two\t',
      'text  with   room',
      '',
      '',
      '\r',
      '- é\r',
    );
    const lines = fc.array(line, { maxLength: 12 });
    const region = [REGION_BEGIN, '- ours', '', REGION_END];
    fc.assert(
      fc.property(
        lines,
        lines,
        fc.boolean(),
        fc.infiniteStream(fc.boolean()),
        (before, after, isManaged, keeps) => {
          const original = [...before, ...(isManaged ? region : []), ...after].join('\n');
          const isKept = keeps[Symbol.iterator]();
          const candidate = [...before, ...after].filter(() => isKept.next().value).join('\n');
          const judged = judgePrune(original, candidate, ANY);
          const filled = (text: string) =>
            text
              .split('\n')
              .map((each) => each.trim().replace(/\s+/g, ' '))
              .filter(Boolean);
          if (!judged.ok) {
            expect(judged.refusal).toBe('nothing_gone');
            return;
          }
          const own = outline(judged.content).filter(({ isOurs }) => !isOurs);
          expect(filled(own.map(({ text }) => text).join('\n'))).toEqual(filled(candidate));
          const originals = original.split('\n');
          expect(judged.content.split('\n').every((each) => each === '' || originals.includes(each))).toBe(
            true,
          );
          if (isManaged) expect(judged.content).toContain(region.join('\n'));
        },
      ),
    );
  });
});
