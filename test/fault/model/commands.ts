import type { Tier } from '@slowwave/fusion';
import { FAILPOINTS } from '@slowwave/worker';
import fc from 'fast-check';
import { type Act, isPossible, perform } from './acts.ts';
import type { End } from './service.ts';
import type { Stage } from './stage.ts';
import { HOUR, MANNERS, MINUTE, type Model, TROUBLES } from './state.ts';

/** Inside a transaction a job may die but not stop: everybody else would wait for it. */
const OUTSIDE = [
  'after-claim',
  'after-lease',
  'after-run-start',
  'before-step',
  'after-read',
  'before-model',
  'after-model',
  'after-memo',
  'before-transaction',
  'after-commit',
  'after-step',
  'after-run-end',
  'after-release',
  'before-ack',
] as const;

const pick = fc.nat(1_000);
const tier: fc.Arbitrary<Tier> = fc.constantFrom('light', 'deep', 'deep', 'deep', 'sleep', 'sleep');
const end: fc.Arbitrary<End | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  {
    weight: 3,
    arbitrary: fc.record({
      how: fc.constant('dies' as const),
      point: fc.constantFrom(...FAILPOINTS),
      nth: fc.constantFrom(1, 1, 1, 2, 3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      how: fc.constant('stalls' as const),
      point: fc.constantFrom(...OUTSIDE),
      nth: fc.constantFrom(1, 1, 1, 2, 3),
    }),
  },
);

/** @param rest what the act needs besides its name */
const act = (
  weight: number,
  name: Act['do'],
  rest: fc.Arbitrary<object>,
): { weight: number; arbitrary: fc.Arbitrary<Act> } => ({
  weight,
  arbitrary: rest.map((given) => ({ do: name, ...given }) as Act),
});
const bare = fc.constant({});
const chosen = fc.record({ pick });

const anything: fc.Arbitrary<Act> = fc.oneof(
  act(1, 'addUser', bare),
  act(5, 'write', fc.record({ pick, count: fc.integer({ min: 3, max: 5 }) })),
  act(3, 'edit', chosen),
  act(1, 'forget', chosen),
  act(
    5,
    'pass',
    fc.record({ ms: fc.constantFrom(11_000, 6 * MINUTE, 11 * MINUTE, 7 * HOUR, 7 * HOUR, 25 * HOUR) }),
  ),
  act(9, 'tick', fc.record({ tier })),
  act(22, 'deliver', fc.record({ pick, end })),
  act(4, 'resume', chosen),
  act(1, 'double', chosen),
  act(1, 'lose', chosen),
  act(3, 'giveBack', bare),
  act(1, 'flush', bare),
  act(1, 'restart', bare),
  act(4, 'expire', chosen),
  act(4, 'ask', fc.record({ pick, tier })),
  act(1, 'pauseUser', fc.record({ pick, tier })),
  act(1, 'resumeUser', fc.record({ pick, tier })),
  act(1, 'pauseTier', fc.record({ tier })),
  act(1, 'resumeTier', fc.record({ tier })),
  act(5, 'manner', fc.record({ manner: fc.constantFrom(...MANNERS) })),
  act(1, 'trouble', fc.record({ trouble: fc.constantFrom(...TROUBLES) })),
  act(3, 'mode', fc.record({ pick, mode: fc.constantFrom('auto', 'auto', 'review', 'review', 'off') })),
  act(3, 'approve', chosen),
  act(1, 'reject', chosen),
  act(3, 'undo', fc.record({ what: fc.constantFrom('fusion', 'run'), pick })),
  act(2, 'redo', fc.record({ what: fc.constantFrom('fusion', 'run'), pick })),
  act(2, 'retry', chosen),
  act(1, 'requeue', chosen),
  act(2, 'release', chosen),
);

export const commandOf = (given: Act): fc.AsyncCommand<Model, Stage> => ({
  check: (model) => isPossible(model, given),
  run: (model, stage) => perform(model, stage, given),
  toString: () => JSON.stringify(given),
});

/** A life of the service: somebody with memories first, and then anything in any order. */
export const lives = (most: number) =>
  fc.commands([anything.map(commandOf)], { maxCommands: most, size: 'max' });

export const BEGINNING: readonly Act[] = [{ do: 'addUser' }, { do: 'write', pick: 0, count: 3 }];
