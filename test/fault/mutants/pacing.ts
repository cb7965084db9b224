// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of templates, word for word
import { by, mutantsIn } from './table.ts';

const RATE = 'packages/db/src/pacing/exchange.test.ts';
const PACE = 'apps/worker/src/pacing.test.ts';
const TURN = 'apps/worker/src/fusion-turn.test.ts';
const WAITING = 'test/integration/pacing.test.ts';
const FAIRNESS = 'test/db/fairness.test.ts';

/** No endpoint is asked more than it bears, or again and again while it fails, and no tenant waits for the users of another. */
export const PACING_MUTANTS = [
  ...mutantsIn('packages/db/src/pacing/exchange.ts', [
    [
      'rate-episode',
      'all refusals of one episode lower a rate once',
      'or now - ${ms(refusal?.begunMsAgo ?? 0)} > lowered_at + ${ms(RATE_LOOK_MS)}',
      'or true',
      by(RATE, 'is lowered once by all refusals of one episode'),
    ],
    [
      'rate-few-refused',
      'a few refusals among many calls lower nothing',
      ' and objected >= used * ${number(REFUSED_SHARE)}',
      '',
      by(RATE, 'is not lowered by refusals that are few among many calls'),
    ],
    [
      'rate-used',
      'what is lowered is what was really used',
      'least(risen, used) * ${number(LOWERED_SHARE)}',
      'coalesce(risen, used) * ${number(LOWERED_SHARE)}',
      by(RATE, 'is halved by a refusal from what was really used'),
    ],
    [
      'rate-least',
      'a rate never falls below a few calls a minute',
      'greatest(${number(LEAST_PER_MINUTE)}, least(risen',
      'greatest(1, least(risen',
      by(RATE, 'never falls below a few calls a minute'),
    ],
    [
      'rate-pause',
      'nobody calls before the endpoint wants to be asked again',
      "date_part('epoch', greatest(not_before, now) - now) * 1000 as paused",
      '0::float8 as paused',
      by(RATE, 'holds everybody back for as long as the endpoint asked'),
    ],
    [
      'rate-pause-longest',
      'no answer of an endpoint holds everybody back for hours',
      'Math.min(askedMs ?? REFUSED_PAUSE_MS, REFUSED_PAUSE_MAX_MS)',
      '(askedMs ?? REFUSED_PAUSE_MS)',
      by(RATE, 'holds everybody back for as long as the endpoint asked'),
    ],
    [
      'rate-permits-kept',
      'permits that nobody takes do not pile up',
      'least(greatest(1, h.per_minute * ${number(PERMIT_KEPT_MS / 60_000)}), h.permits + p.seconds * h.per_minute / 60) as permits',
      'coalesce(h.permits + p.seconds * h.per_minute / 60, 1) as permits',
      by(RATE, 'keeps no more permits than two seconds bring'),
    ],
    [
      'rate-permit-near',
      'a permit is promised only to a call that may wait for it',
      'permit_in <= ${number(PERMIT_WAIT_MS)}',
      'true',
      by(RATE, 'gives permits one after the other'),
    ],
    [
      'rate-forgotten',
      'a limit does not last for ever',
      'case when h.lowered_at > m.now - ${ms(RATE_FORGOTTEN_MS)} then h.per_minute end as rate',
      'h.per_minute as rate',
      by(RATE, 'is forgotten after a long quiet'),
    ],
    [
      'rate-backwards',
      'a clock that is set back takes nothing away',
      "least(3600, greatest(0, date_part('epoch', m.now - h.counted_at)))",
      "least(3600, date_part('epoch', m.now - h.counted_at))",
      by(RATE, 'does not run backwards when the clock does'),
    ],
    [
      'retry-half',
      'retries leave half of their budget',
      'left_tokens - 1 >= ${number(RETRY_TOKENS_KEPT)}',
      'left_tokens >= 0',
      by(RATE, 'allows as many retries at the same time as leave half of it'),
    ],
    [
      'retry-probe',
      'somebody asks now and then how an endpoint is that fails for everybody',
      'h.retry_tokens + p.seconds * ${number(1_000 / RETRY_TOKEN_MS)}',
      'h.retry_tokens',
      by(RATE, 'lets one ask now and then while all calls fail'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/pacing.ts', [
    [
      'pace-look-cached',
      'a call to which nobody objects costs no statement',
      'if (nowMs() - local.knownAtMs < RATE_LOOK_MS) return;',
      '',
      by(PACE, 'looks once in a few seconds while nobody objects'),
    ],
    [
      'pace-refused',
      'what was refused a permit is not asked',
      'if (!answer.granted) {',
      'if (false) {',
      by(PACE, 'asks nobody while the next permit is far'),
    ],
    [
      'pace-untold',
      'what could not be told is told later',
      "for (const name of ['calls', 'answered', 'retried'] as const) local.untold[name] += told[name];",
      '',
      by(PACE, 'goes on when the books cannot be reached'),
    ],
    [
      'pace-believed',
      'while no retry may be made the books are not asked by everybody who waits',
      'if (nowMs() < Math.min(untilMs, believedUntilMs)) {',
      'if (false) {',
      by(PACE, 'remembers for a while that no retry may be made'),
    ],
    [
      'pace-retry-ended',
      'a retry that has ended gives its token back',
      'if (answer) local.untold.retried += 1;',
      '',
      by(PACE, 'holds a token while a retry lasts'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/fusion-turn.ts', [
    [
      'turn-retries',
      'what failed before takes of the budget of retries',
      'if (!isRetry(of)) return FREE;',
      'return FREE;',
      by(TURN, 'is asked no more than once by each run'),
    ],
    [
      'turn-paid',
      'what is paid for waits for no model',
      'if (!pacing || of.fusion.answer) return FREE;',
      'if (!pacing) return FREE;',
      by(TURN, 'waits for the rate before it asks for a retry'),
    ],
    [
      'turn-growing',
      'many who wait look less and less often',
      'RETRY_FIRST_MS * (postponed + 1)',
      'RETRY_FIRST_MS',
      by(TURN, 'looks again later and later'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/fusion-job.ts', [
    [
      'blameless',
      'an endpoint that fails for everybody uses up no attempts',
      'if (isBlameless(deps.pacing, provider, outcome))',
      'if (false)',
      by(WAITING, 'use no attempt when they ask how the endpoint is'),
      'provider_error_server_error',
    ],
    [
      'turn-limited',
      'the queue rests while the rate is used up',
      "if ('rateLimitedMs' in turn) return context.rateLimited(turn.rateLimitedMs);",
      "if ('rateLimitedMs' in turn) return context.postpone(turn.rateLimitedMs);",
      by(WAITING, 'let the queue rest while the rate is used up'),
      'postponed',
    ],
  ]),
  ...mutantsIn('packages/db/src/scheduling/due-page.ts', [
    [
      'turn-share',
      'no tenant takes the places of others',
      'longestDue(input, sql`t.tenant = a.tenant`, sql`(select users from share)`)',
      'longestDue(input, sql`t.tenant = a.tenant`, sql`${size}`)',
      by(FAIRNESS, 'shares what small tenants leave'),
      '2201W',
    ],
    [
      'turn-rest',
      'no place stays empty as long as anybody is due',
      'select * from first union all select * from second union all select * from rest',
      'select * from first union all select * from second',
      by(FAIRNESS, 'leaves no place empty'),
    ],
    [
      'turn-order',
      'the first of each tenant come before the second of any',
      'from ranked order by rank, due_at',
      'from ranked order by due_at',
      by(FAIRNESS, 'puts every small tenant on the first page'),
    ],
    [
      'turn-after',
      'with more tenants than places all have their turn',
      'select ${next(sql`${after}::text`)}, false, 1',
      "select ${next(sql`''::text`)}, false, 1",
      by(FAIRNESS, 'goes on after the tenants that had their turn'),
    ],
  ]),
];
