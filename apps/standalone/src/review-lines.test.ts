import type { PreviewFusion, PreviewView, ReviewView } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { previewLines, reviewLines } from './review-lines.ts';

const same = (text: string) => text;
const style = { bold: same, dim: same };
const DAY = Date.UTC(2026, 5, 15);
const source = (id: string, fate: PreviewFusion['sources'][number]['fate']) => ({
  id,
  content: `content of ${id}`,
  category: 'fact' as const,
  documentDate: DAY,
  fate,
});
const FUSION: PreviewFusion = {
  key: 'a'.repeat(64),
  status: 'generated',
  verdict: 'unanswered',
  errorCode: null,
  derived: null,
  covered: [],
  sources: [],
  conflicts: [],
};
const view = (more: Partial<PreviewView>): PreviewView => ({
  runId: 'r1',
  tier: 'deep',
  status: 'completed',
  errorCode: null,
  fusions: [],
  merges: [],
  ...more,
});
const linesOf = (fusion: Partial<PreviewFusion>) =>
  previewLines(view({ fusions: [{ ...FUSION, ...fusion }] }), null, style).slice(1);

describe('a preview in lines', () => {
  it('says that there is nothing to do, and why steps did not come to an end', () => {
    const report = {
      steps: [
        { step: 'embed', status: 'skipped', reason: 'preview' },
        { step: 'fusion', status: 'skipped', reason: 'no_model_provider' },
      ],
    };
    expect(previewLines(view({}), report, style)).toEqual([
      'preview r1 of deep: completed; nothing was changed',
      '  fusion: skipped (no_model_provider)',
      '  no fusion',
    ]);
    const failed = view({ status: 'failed', errorCode: 'step_timeout' });
    const more = {
      steps: [
        { step: 'fusion', status: 'failed', code: 'step_timeout' },
        { step: 'nrem', status: 'done', counts: { stopped: 'tokens' } },
        { step: 'x', status: 'done', counts: { stopped: null } },
      ],
    };
    expect(previewLines(failed, more, style).slice(0, 3)).toEqual([
      'preview r1 of deep: failed (step_timeout); nothing was changed',
      '  fusion: failed (step_timeout)',
      '  nrem: ended early (tokens)',
    ]);
  });

  it('shows what gives way, what stays and what is new', () => {
    const derived = { content: 'both\nof them', category: 'fact' } as NonNullable<PreviewFusion['derived']>;
    const sources = [source('m1', 'superseded'), source('m2', 'superseded'), source('m3', 'kept')];
    expect(linesOf({ verdict: 'ok', derived, covered: ['m1', 'm2'], sources })).toEqual([
      '  1. 2 → 1 [fact]',
      '       - content of m1',
      '       - content of m2',
      '       = content of m3',
      '       + both\n         of them',
    ]);
  });

  it('shows duplicates first', () => {
    const merges: PreviewView['merges'] = [
      {
        key: 'k',
        status: 'planned',
        verdict: 'ok',
        sources: [source('m1', 'confirmed'), source('m2', 'superseded')],
      },
      { key: 'k', status: 'planned', verdict: 'stale', sources: [] },
      { key: 'k', status: 'applied', verdict: 'over', sources: [] },
    ];
    expect(previewLines(view({ merges, fusions: [FUSION] }), null, style).slice(1)).toEqual([
      '  1. duplicates',
      '       = content of m1',
      '       - content of m2',
      '  2. duplicates: a memory has changed since',
      '  3. duplicates: applied since',
      '  4. no fusion (no answer yet): 0 sources would stay as they are',
    ]);
  });

  it.each([
    [{ verdict: 'truncated' as const }, '  1. no fusion (truncated): 0 sources would stay as they are'],
    [{ errorCode: 'rate_limited' }, '  1. no fusion (rate_limited): 0 sources would stay as they are'],
    [{ verdict: 'stale' as const }, '  1. a source has changed since'],
    [{ verdict: 'over' as const, status: 'applied' as const }, '  1. applied since'],
  ])('says of %j why not', (fusion, line) => {
    expect(linesOf(fusion)).toEqual([line]);
  });

  it('names the sources that disagree by their place', () => {
    const sources = [source('m1', 'kept'), source('m2', 'kept')];
    const conflicts = [{ a: 'm1', b: 'm2', kind: 'contradictory' as const, slot: 'home\u001b[2J city' }];
    expect(linesOf({ verdict: 'nothing', sources, conflicts }).at(-1)).toBe(
      '       contradictory: sources 1 and 2 (home\ufffd[2J city)',
    );
  });
});

describe('reviews in lines', () => {
  const review = (more: Partial<ReviewView>): ReviewView => ({
    key: 'b'.repeat(64),
    user: 'ana',
    kind: 'merge',
    tier: 'sleep',
    runId: null,
    model: 'none',
    proposedAt: DAY,
    expiresAt: DAY + 86_400_000,
    derived: null,
    sources: [],
    ...more,
  });

  it('says what approving does, and when it would not do it', () => {
    const sources = [
      { ...source('m1', 'confirmed'), changed: false },
      { ...source('m2\u001b[31m', 'superseded'), changed: true },
    ];
    expect(reviewLines([review({ sources })], style)).toEqual([
      'duplicates of ana, sleep, proposed 2026-06-15T00:00:00Z, waits until 2026-06-16T00:00:00Z',
      `  ${'b'.repeat(64)}`,
      '       = content of m1',
      '       - content of m2\ufffd[31m',
      '       a source has changed since: approving will find it stale',
      'slowwave approve <key> --user <user>, or slowwave reject <key> --user <user>',
    ]);
    expect(reviewLines([], style)).toEqual(['nothing waits for a decision']);
  });
});
