import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CpuProfile, foldProfile, ownerOf } from '../../bench/profile/fold.ts';
import { readProfileOptions } from '../../bench/profile/options.ts';
import { unionMs } from '../../bench/profile/spans.ts';

describe('spans', () => {
  it('count once where they overlap', () => {
    expect(unionMs([])).toBe(0);
    expect(
      unionMs([
        [0, 10],
        [2, 3],
        [5, 12],
        [20, 21],
      ]),
    ).toBe(13);
  });

  it('are as long together as the instants that any of them holds', () => {
    const span = fc
      .tuple(fc.nat(60), fc.nat(20))
      .map(([from, long]): [number, number] => [from, from + long]);
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), (spans) => {
        const held = Array.from({ length: 80 }, (_, at) => spans.some(([from, to]) => at >= from && at < to));
        expect(unionMs(spans)).toBe(held.filter(Boolean).length);
      }),
    );
  });
});

describe('the owner of a frame', () => {
  it.each([
    ['file:///srv/slowwave/packages/fusion/src/plan.ts', 'packages/fusion'],
    ['file:///srv/slowwave/apps/worker/src/worker.ts', 'apps/worker'],
    ['file:///srv/slowwave/node_modules/pg/lib/client.js', 'pg'],
    ['file:///srv/slowwave/node_modules/@scope/name/index.js', '@scope/name'],
    [
      'file:///srv/slowwave/node_modules/@slowwave/fusion/../../packages/fusion/src/plan.ts',
      'packages/fusion',
    ],
    ['node:internal/streams', 'node'],
    ['wasm://wasm/8f2a', 'vector kernel (WebAssembly)'],
    ['file:///srv/slowwave/bench/stage/runs.ts', 'bench'],
    ['', 'native code'],
    ['evalmachine', 'other'],
  ])('%s is %s', (url, owner) => {
    expect(ownerOf({ functionName: 'f', url })).toBe(owner);
  });

  it('is not taken from what every object has', () => {
    expect(ownerOf({ functionName: 'constructor', url: '' })).toBe('native code');
  });

  it('is garbage collection where V8 says so', () => {
    expect(ownerOf({ functionName: '(garbage collector)', url: '' })).toBe('garbage collection');
  });
});

describe('a profile', () => {
  const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 1 });
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 7] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('plan', 'file:///s/packages/fusion/src/plan.ts'), children: [5] },
      { id: 4, callFrame: frame('answer', 'file:///s/test/fakes/sleep-model.ts'), children: [6] },
      { id: 5, callFrame: frame('query', 'file:///s/node_modules/pg/lib/client.js') },
      { id: 6, callFrame: frame('read', 'file:///s/packages/fusion/src/plan.ts') },
      { id: 7, callFrame: frame('dispatch') },
    ],
    samples: [2, 3, 5, 3, 6, 4, 7, 2],
    timeDeltas: [5_000, 1_000, 2_000, 3_000, 500, 250, 40_000, -10],
  };
  const folded = foldProfile(profile, { standIn: (url) => url.includes('/fakes/'), top: 1 });

  it('sums what each owner used itself, without waiting and without what stands in for a model', () => {
    expect(folded.byOwner).toEqual([
      { owner: 'packages/fusion', ms: 4 },
      { owner: 'pg', ms: 2 },
      { owner: 'stand-in', ms: 0.75 },
    ]);
    expect(folded.cpuMs).toBeCloseTo(6.75);
    expect(folded.sampledMs).toBeCloseTo(51.75);
  });

  it('names the functions that used most', () => {
    expect(folded.functions).toEqual([{ name: 'plan (src/plan.ts)', owner: 'packages/fusion', ms: 4 }]);
  });

  it('of nothing is nothing', () => {
    expect(foldProfile({ nodes: [] }, { standIn: () => false, top: 5 })).toEqual({
      sampledMs: 0,
      cpuMs: 0,
      byOwner: [],
      functions: [],
    });
  });

  it('loses no time', () => {
    const samples = fc.array(fc.tuple(fc.integer({ min: 1, max: 7 }), fc.nat(10_000)), { maxLength: 60 });
    fc.assert(
      fc.property(samples, (taken) => {
        const made = { ...profile, samples: taken.map(([id]) => id), timeDeltas: taken.map(([, us]) => us) };
        const sums = foldProfile(made, { standIn: () => false, top: 10 });
        const total = taken.reduce((sum, [, us]) => sum + us, 0) / 1_000;
        expect(sums.sampledMs).toBeCloseTo(total, 6);
        expect(sums.byOwner.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(sums.cpuMs, 6);
      }),
    );
  });
});

describe('the arguments of bench:profile', () => {
  it('have defaults, fewer jobs for many memories', () => {
    expect(readProfileOptions([])).toEqual({
      kind: 'run',
      options: { tier: 'deep', memories: 200, dimensions: 384, jobs: 5, again: false, json: null },
    });
    expect(readProfileOptions(['--tier', 'sleep', '--memories=5000', '--again'])).toMatchObject({
      options: { tier: 'sleep', memories: 5_000, jobs: 3, again: true },
    });
  });

  it('are refused all at once, each with what was expected', () => {
    expect(readProfileOptions(['x', '--teir=deep', '--tier', 'night', '--memories', '3'])).toEqual({
      kind: 'refused',
      errors: [
        'unexpected x: options begin with --',
        'unknown option --teir: did you mean --tier?',
        '--tier: expected light, deep or sleep',
        '--memories: expected a whole number from 20 to 50000',
      ],
    });
    expect(readProfileOptions(['-h']).kind).toBe('help');
  });
});
