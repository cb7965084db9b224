import {
  type ClaimedDelivery,
  claimDueDeliveries,
  type Database,
  type DeliveryOutcome,
  holdDeliveries,
  pruneDeliveries,
  recordDelivery,
} from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import type { Logger } from 'pino';
import { type SendOptions, type SendResult, sendWebhook } from './send.ts';
import { signatureHeaders } from './sign.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long after each failed attempt the next one follows; after the last of these it is given up. */
export const RETRY_DELAYS_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
];

/** Attempts at the same time. */
const AT_ONCE = 8;
/** A receiver that failed is left alone for so long. */
const HOLD_MS = 30 * SECOND_MS;
/** What waits for a receiver that fails for so long is given up. */
const WAIT_MAX_MS = DAY_MS;
/** Longer than an attempt may take and its outcome needs to be written. */
const LEASE_MS = 30 * SECOND_MS;
const LOOK_EVERY_MS = 2 * SECOND_MS;
const PRUNE_EVERY_MS = HOUR_MS;
const PRUNED_AT_ONCE = 5_000;
const KEEP_DELIVERED_MS = 7 * DAY_MS;
/** What was given up is there for longer: somebody has to see it. */
const KEEP_GIVEN_UP_MS = 30 * DAY_MS;

export type AttemptOutcome = 'delivered' | 'failed' | 'gave_up';

export interface DeliveriesDeps {
  database: Database;
  logger: Logger;
  /** Epoch ms. */
  now: () => number;
  send: SendOptions;
  /** Told how each attempt ended. */
  onAttempt?: (outcome: AttemptOutcome) => void;
  /** Default 2 s. */
  lookEveryMs?: number;
}

/** Carries events to the webhooks that asked for them, from however many processes, each at least once and under one id. */
export interface Deliveries {
  start(): void;
  /** Sends what is due now. @returns how many attempts were made */
  deliverDue(): Promise<number>;
  /** Begins no more attempts and waits for those under way, at most so long; what is cut off is sent again later. */
  stop(graceMs: number): Promise<void>;
}

export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { database, logger, now } = deps;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function deliverDue(): Promise<number> {
    let attempts = 0;
    while (!stopped) {
      const claim = { at: now(), leaseMs: LEASE_MS, limit: AT_ONCE };
      const claimed = await database.asDispatcher((tx) => claimDueDeliveries(tx, claim));
      await Promise.all(claimed.map((delivery) => attempt(deps, delivery)));
      attempts += claimed.length;
      if (claimed.length < AT_ONCE) break;
    }
    return attempts;
  }

  async function prune(): Promise<void> {
    const at = now();
    if (at - prunedAt < PRUNE_EVERY_MS) return;
    const before = { deliveredBefore: at - KEEP_DELIVERED_MS, gaveUpBefore: at - KEEP_GIVEN_UP_MS };
    const removed = await database.asDispatcher((tx) =>
      pruneDeliveries(tx, { ...before, limit: PRUNED_AT_ONCE }),
    );
    // A full page means that there is more.
    if (removed < PRUNED_AT_ONCE) prunedAt = at;
  }

  async function look(): Promise<void> {
    try {
      await deliverDue();
      await prune();
    } catch (error) {
      logger.warn(errorFacts(error), 'webhooks could not be delivered; tried again soon');
    }
  }

  function lookAgain(): void {
    timer = setTimeout(() => {
      looking = look().then(() => {
        if (!stopped) lookAgain();
      });
    }, deps.lookEveryMs ?? LOOK_EVERY_MS);
    timer.unref();
  }

  return {
    start() {
      if (timer === null && !stopped) lookAgain();
    },
    deliverDue,
    async stop(graceMs) {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, graceMs);
      });
      await Promise.race([looking, late]).finally(() => clearTimeout(limit));
    },
  };
}

/** The body of a message, as it is signed. */
export function bodyOf(
  message: Pick<ClaimedDelivery, 'id' | 'createdAt' | 'data'> & { type: string },
): string {
  const { id, type, createdAt, data } = message;
  return JSON.stringify({ id, type, createdAt, data });
}

async function attempt(deps: DeliveriesDeps, delivery: ClaimedDelivery): Promise<void> {
  const { database, logger, now } = deps;
  const { tenant, id, webhookId, attempts, event, url, secret } = delivery;
  const body = bodyOf({ ...delivery, type: event });
  const headers = signatureHeaders(secret, { id, at: now(), body });
  const result = await sendWebhook(url, { headers, body }, deps.send);
  const at = now();
  const outcome = outcomeOf(result, attempts, at);
  await database.asDispatcher(async (tx) => {
    await recordDelivery(tx, { tenant, id, attempts, at, outcome });
    if (outcome.status === 'delivered') return;
    await holdDeliveries(tx, { tenant, webhookId, at, until: at + HOLD_MS, createdBefore: at - WAIT_MAX_MS });
  });
  const gaveUp = outcome.status === 'failed' && outcome.nextAttemptAt === null;
  deps.onAttempt?.(gaveUp ? 'gave_up' : outcome.status);
  const facts = { tenant, webhook: webhookId, delivery: id, event, attempt: attempts };
  if (outcome.status === 'delivered') return logger.debug(facts, 'webhook delivered');
  const { code, httpStatus } = outcome;
  const level = gaveUp ? 'warn' : 'info';
  logger[level](
    { ...facts, code, httpStatus },
    gaveUp ? 'webhook given up' : 'webhook failed; tried again later',
  );
}

function outcomeOf(result: SendResult, attempts: number, at: number): DeliveryOutcome {
  if (result.status === 'delivered') return result;
  const delay = RETRY_DELAYS_MS[attempts - 1];
  return { ...result, nextAttemptAt: delay === undefined ? null : at + delay };
}
