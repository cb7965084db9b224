import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deriveMemory } from './derive.ts';
import { ORIGINS } from './memory.ts';
import { clusterOf } from './testing/samples.ts';

it('never trusts a derived memory more than the least of what it was made of, and never makes it anybody else’s', () => {
  const member = fc.record({ trust: fc.double({ min: 0, max: 1, noNaN: true }), covered: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(member, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...ORIGINS),
      fc.constantFrom('deep' as const, 'sleep' as const),
      (members, origin, tier) => {
        const cluster = clusterOf(...members.map((_, i) => `memory ${i}`));
        const made = cluster.members.map((one, i) => ({ ...one, trust: members[i]!.trust, origin }));
        const covered = made.filter((_, i) => members[i]!.covered || i === 0).map(({ id }) => id);
        const derived = deriveMemory(
          { ...cluster, members: made },
          { summary: 's', coveredIds: covered },
          { tier, at: 0 },
        );
        expect(derived.trust).toBe(Math.min(...members.map(({ trust }) => trust)));
        expect(derived.origin).toBe(origin);
      },
    ),
  );
});
