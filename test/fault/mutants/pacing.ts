import { by, mutantsIn } from './table.ts';

const RATE = 'test/db/exchange.test.ts';
const PACE = 'test/worker/pacing.test.ts';
const TURN = 'test/worker/fusion-turn.test.ts';
const WAITING = 'test/integration/pacing.test.ts';
const FAIRNESS = 'test/db/fairness.test.ts';

/** No endpoint is asked more than it bears, or again and again while it fails, and no tenant waits for the users of another. */
export const PACING_MUTANTS = [
  ...mutantsIn('packages/db/src/pacing/exchange.ts', [
    [
      'rate-episode',
      'all refusals of one episode lower a rate once',
      { is: 'or true' },
      by(RATE, 'is lowered once by all refusals of one episode'),
    ],
    [
      'rate-few-refused',
      'a few refusals among many calls lower nothing',
      'removed',
      by(RATE, 'is not lowered by refusals that are few among many calls'),
    ],
    [
      'rate-used',
      'what is lowered is what was really used',
      { is: 'coalesce(risen, used)' },
      by(RATE, 'is halved by a refusal from what was really used'),
    ],
    [
      'rate-least',
      'a rate never falls below a few calls a minute',
      { is: '1,' },
      by(RATE, 'never falls below a few calls a minute'),
    ],
    [
      'rate-pause',
      'nobody calls before the endpoint wants to be asked again',
      { is: '0::float8' },
      by(RATE, 'holds everybody back for as long as the endpoint asked'),
    ],
    [
      'rate-pause-longest',
      'no answer of an endpoint holds everybody back for hours',
      'removed',
      by(RATE, 'holds everybody back for as long as the endpoint asked'),
    ],
    [
      'rate-permits-kept',
      'permits that nobody takes do not pile up',
      { is: '1e9,' },
      by(RATE, 'keeps no more permits than two seconds bring'),
    ],
    [
      'rate-permit-near',
      'a permit is promised only to a call that may wait for it',
      { is: 'true' },
      by(RATE, 'gives permits one after the other'),
    ],
    [
      'rate-forgotten',
      'a limit does not last for ever',
      { is: 'h.per_minute' },
      by(RATE, 'is forgotten after a long quiet'),
    ],
    [
      'rate-backwards',
      'a clock that is set back takes nothing away',
      'removed',
      by(RATE, 'does not run backwards when the clock does'),
    ],
    [
      'retry-half',
      'retries leave half of their budget',
      { is: 'left_tokens >= 0' },
      by(RATE, 'allows as many retries at the same time as leave half of it'),
    ],
    [
      'retry-probe',
      'somebody asks now and then how an endpoint is that fails for everybody',
      'removed',
      by(RATE, 'lets one ask now and then while all calls fail'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/pacing.ts', [
    [
      'pace-look-cached',
      'a call to which nobody objects costs no statement',
      'removed',
      by(PACE, 'looks once in a few seconds while nobody objects'),
    ],
    [
      'pace-refused',
      'what was refused a permit is not asked',
      'never',
      by(PACE, 'asks nobody while the next permit is far'),
    ],
    [
      'pace-untold',
      'what could not be told is told later',
      'removed',
      by(PACE, 'goes on when the books cannot be reached'),
    ],
    [
      'pace-answered',
      'an endpoint that answers again is to blame for nothing',
      'removed',
      by(PACE, 'isUnanswered: several calls that fail'),
    ],
    [
      'pace-believed',
      'while no retry may be made the books are not asked by everybody who waits',
      'never',
      by(PACE, 'remembers for a while that no retry may be made'),
    ],
    [
      'pace-retry-ended',
      'a retry that has ended gives its token back',
      'removed',
      by(PACE, 'holds a token while a retry lasts'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/fusion-turn.ts', [
    [
      'turn-retries',
      'what failed before takes of the budget of retries',
      'always',
      by(TURN, 'is asked no more than once by each run'),
    ],
    [
      'turn-paid',
      'what is paid for waits for no model',
      'removed',
      by(TURN, 'waits for the rate before it asks for a retry'),
    ],
    [
      'timeouts-bounded',
      'calls that time out and may be paid for are not made again and again',
      { is: 'const isPatient = true;' },
      by(TURN, 'isBlameless: a model that answers nothing'),
    ],
    [
      'turn-growing',
      'many who wait look less and less often',
      { is: 'RETRY_FIRST_MS' },
      by(TURN, 'looks again later and later'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/fusion-job.ts', [
    [
      'blameless',
      'an endpoint that fails for everybody uses up no attempts',
      'never',
      by(WAITING, 'use no attempt when they ask how the endpoint is'),
      'provider_error_server_error',
    ],
    [
      'turn-limited',
      'the queue rests while the rate is used up',
      { is: 'return context.postpone(turn.rateLimitedMs);' },
      by(WAITING, 'let the queue rest while the rate is used up'),
      'postponed',
    ],
  ]),
  ...mutantsIn('packages/db/src/scheduling/due-page.ts', [
    [
      'turn-share',
      'no tenant takes the places of others',
      { is: 'size' },
      by(FAIRNESS, 'shares what small tenants leave'),
      '2201W',
    ],
    [
      'turn-rest',
      'no place stays empty as long as anybody is due',
      'removed',
      by(FAIRNESS, 'leaves no place empty'),
    ],
    [
      'turn-order',
      'the first of each tenant come before the second of any',
      'removed',
      by(FAIRNESS, 'puts every small tenant on the first page'),
    ],
    [
      'turn-after',
      'with more tenants than places all have their turn',
      { is: "''" },
      by(FAIRNESS, 'goes on after the tenants that had their turn'),
    ],
  ]),
];
