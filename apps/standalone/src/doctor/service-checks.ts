import { TIERS, type Tier } from '@slowwave/fusion';
import { type Check, type Finding, fail, ok, skipped, warn } from './check.ts';
import { skewFinding } from './database-checks.ts';
import { overdueFinding, quarantineFinding } from './work-checks.ts';

const NAMES = ['service', 'service-token', 'service-database', 'service-queue', 'service-ticks'] as const;
const WORK = ['service-workers', 'service-clock', 'overdue', 'quarantine'] as const;
const ANSWER_MS = 5_000;

interface Part {
  ok: boolean;
  reason?: string;
  late?: Tier[];
  reasons?: string[];
}

/** What GET /health/ready answers. */
interface Ready {
  status: string;
  version: string;
  checks: { database: Part; queue: Part; ticks: Part; workers?: Part };
  overdue: Record<Tier, number> | null;
  quarantined: Record<Tier, number> | null;
  pausedTiers: Tier[] | null;
}

interface Seen {
  ready: Ready;
  /** The service's clock, epoch ms, to the second; null where it does not tell. */
  at: number | null;
  before: number;
  after: number;
}

async function see(url: string, now: () => number): Promise<Seen> {
  const before = now();
  const response = await fetch(new URL('/health/ready', url), { signal: AbortSignal.timeout(ANSWER_MS) });
  const after = now();
  const date = Date.parse(response.headers.get('date') ?? '');
  const ready = (await response.json()) as Ready;
  if (typeof ready?.checks !== 'object') throw new TypeError('not a Slowwave service');
  return { ready, at: Number.isNaN(date) ? null : date, before, after };
}

const part = (
  name: string,
  { ok: isGood, reason, reasons = [], late = [] }: Part,
  action: string,
): Finding => {
  const why = [reason, ...reasons, ...late].filter(Boolean).join(', ');
  return isGood
    ? ok(`the service says that its ${name} can be used`)
    : fail(`the service says of its ${name}: ${why || 'not well'}`, action);
};

function countsOf({ overdue, quarantined, pausedTiers }: Ready) {
  if (overdue === null || quarantined === null) return null;
  const of = (tier: Tier) => ({
    overdue: overdue[tier],
    quarantined: quarantined[tier],
    tierPaused: pausedTiers?.includes(tier) ?? false,
  });
  return Object.fromEntries(TIERS.map((tier) => [tier, of(tier)])) as Record<Tier, ReturnType<typeof of>>;
}

/** What a running service says of itself. @param options.token the caller's; null: none was given */
export function serviceChecks(options: { url: string; token: string | null; now: () => number }): Check[] {
  const { url, token, now } = options;
  let seen: Promise<Seen> | null = null;
  const look = (judge: (seen: Seen) => Finding) => async (): Promise<Finding> => {
    seen ??= see(url, now);
    const found = await seen.catch(() => null);
    return found === null ? skipped('not looked at: the service does not answer') : judge(found);
  };
  const looks: Record<(typeof NAMES)[number] | (typeof WORK)[number], () => Promise<Finding>> = {
    async service() {
      seen ??= see(url, now);
      const found = await seen.catch(() => null);
      if (found)
        return ok(
          `Slowwave ${found.ready.version} answers at ${url}, ${found.ready.status.replace('_', ' ')}`,
        );
      return fail(
        `no Slowwave service answers at ${url}`,
        'start it, and see that the address is right and this machine may reach it',
      );
    },
    'service-token': () => tokenFinding(url, token),
    'service-database': look(({ ready }) =>
      part('database', ready.checks.database, 'run doctor where the service runs'),
    ),
    'service-queue': look(({ ready }) =>
      part('queue', ready.checks.queue, 'run doctor where the service runs'),
    ),
    'service-ticks': look(({ ready }) =>
      part('ticks', ready.checks.ticks, 'read the log of the producer, and restart it'),
    ),
    'service-workers': look(({ ready: { checks } }) =>
      checks.workers
        ? part('workers', checks.workers, 'read the log of the service')
        : skipped('its workers are processes of their own'),
    ),
    'service-clock': look(({ at, ...ours }) =>
      at === null
        ? skipped('the service does not tell its time')
        : // It tells whole seconds only.
          skewFinding('the service', at + 500, { before: ours.before - 500, after: ours.after + 500 }),
    ),
    overdue: look(({ ready }) => {
      const counts = countsOf(ready);
      return counts ? overdueFinding(counts, true) : skipped('not looked at: the service cannot count now');
    }),
    quarantine: look(({ ready }) => {
      const counts = countsOf(ready);
      return counts ? quarantineFinding(counts) : skipped('not looked at: the service cannot count now');
    }),
  };
  return [...NAMES, ...WORK].map((name) => ({ name, look: looks[name] }));
}

async function tokenFinding(url: string, token: string | null): Promise<Finding> {
  if (token === null) return warn('no token is given', 'set SLOWWAVE_TOKEN, or say --token');
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(new URL('/v1/reviews?limit=1', url), { headers, signal }).catch(() => null);
  if (response === null) return skipped('not looked at: the service does not answer');
  if (response.status === 401) {
    return fail(
      'the service does not know the token',
      'make another with slowwave token create, or correct it',
    );
  }
  return ok('the service takes the token');
}
