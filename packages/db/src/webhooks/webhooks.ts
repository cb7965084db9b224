import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { InputError, requireText, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { WEBHOOK_EVENTS, type Webhook, type WebhookEventType } from './types.ts';

/** Every event of a tenant is written once for each of its webhooks. */
export const WEBHOOKS_PER_TENANT_MAX = 20;
export const WEBHOOK_URL_CHARS_MAX = 2_000;
const SECRET_BYTES = 32;

const COLUMNS = sql`tenant, id, url, events, active, ${msOf('created_at')} as "createdAt", ${msOf('updated_at')} as "updatedAt"`;

interface Address {
  tenant: string;
  id: string;
}

/** A new key for signatures, base64. */
function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64');
}

function checkEvents(events: readonly WebhookEventType[]): void {
  if (events.length === 0) throw new InputError('empty', 'events', 'events must name at least one event');
  for (const event of events) requireWord(event, 'events', WEBHOOK_EVENTS);
}

/** A list of words as one parameter. They are ours, so nothing has to be escaped. */
const wordsOf = (events: readonly WebhookEventType[]) =>
  sql`${`{${[...new Set(events)].join(',')}}`}::text[]`;

/**
 * Registers an address. Whether it may be called is the sender's to judge.
 * @param input.at epoch ms
 * @returns the webhook with its key (base64), which is shown this once; null when the tenant has WEBHOOKS_PER_TENANT_MAX already
 * @throws InputError
 */
export async function createWebhook(
  tx: Transaction,
  input: { tenant: string; url: string; events: readonly WebhookEventType[]; at: number },
): Promise<{ webhook: Webhook; secret: string } | null> {
  requireText(input.url, 'url', WEBHOOK_URL_CHARS_MAX);
  checkEvents(input.events);
  const secret = newSecret();
  const at = instantOf(input.at);
  const [webhook] = await tx.rows<Webhook>(sql`
    insert into slowwave.webhooks (tenant, id, url, events, secret, active, created_at, updated_at)
    select ${input.tenant}, ${newId(input.at)}::uuid, ${input.url}, ${wordsOf(input.events)}, ${secret}, true, ${at}, ${at}
    where (select count(*) from slowwave.webhooks where tenant = ${input.tenant}) < ${WEBHOOKS_PER_TENANT_MAX}
    returning ${COLUMNS}`);
  return webhook ? { webhook, secret } : null;
}

/** A tenant's webhooks, the oldest first. There are never many, so there are no pages. */
export function listWebhooks(tx: Transaction, { tenant }: { tenant: string }): Promise<Webhook[]> {
  return tx.rows<Webhook>(sql`
    select ${COLUMNS} from slowwave.webhooks where tenant = ${tenant}
    order by slowwave.webhooks.created_at, slowwave.webhooks.id`);
}

/** One webhook with the key of its signatures (base64), for whoever sends; null when there is none. */
export async function getWebhook(
  tx: Transaction,
  { tenant, id }: Address,
): Promise<(Webhook & { secret: string }) | null> {
  const [webhook] = await tx.rows<Webhook & { secret: string }>(sql`
    select ${COLUMNS}, secret from slowwave.webhooks where tenant = ${tenant} and id = ${id}::uuid`);
  return webhook ?? null;
}

/**
 * Changes what is given. One that is made inactive gives up what is on its way; what happens until it is active again is not kept for it.
 * @param input.at epoch ms
 * @returns null when there is none
 * @throws InputError
 */
export async function updateWebhook(
  tx: Transaction,
  input: Address & { url?: string; events?: readonly WebhookEventType[]; active?: boolean; at: number },
): Promise<Webhook | null> {
  requireText(input.url, 'url', WEBHOOK_URL_CHARS_MAX);
  if (input.events) checkEvents(input.events);
  const events = input.events ? wordsOf(input.events) : sql`events`;
  const [webhook] = await tx.rows<Webhook>(sql`
    with dropped as (
      update slowwave.webhook_deliveries set next_attempt_at = null, gave_up_at = ${instantOf(input.at)},
        error_code = 'webhook_inactive'
      where ${input.active === false} and tenant = ${input.tenant} and webhook_id = ${input.id}::uuid and next_attempt_at is not null
    )
    update slowwave.webhooks set url = coalesce(${input.url ?? null}, url), events = ${events},
      active = coalesce(${input.active ?? null}::boolean, active), updated_at = ${instantOf(input.at)}
    where tenant = ${input.tenant} and id = ${input.id}::uuid
    returning ${COLUMNS}`);
  return webhook ?? null;
}

/** Removes a webhook and everything that was on its way to it. @returns whether there was one */
export async function removeWebhook(tx: Transaction, { tenant, id }: Address): Promise<boolean> {
  const rows = await tx.rows(sql`
    delete from slowwave.webhooks where tenant = ${tenant} and id = ${id}::uuid returning 1`);
  return rows.length > 0;
}

/**
 * Signs with a new key from the next attempt on.
 * @param input.at epoch ms
 * @returns the key (base64), shown this once; null when there is no such webhook
 */
export async function rotateWebhookSecret(
  tx: Transaction,
  { tenant, id, at }: Address & { at: number },
): Promise<string | null> {
  const secret = newSecret();
  const rows = await tx.rows(sql`
    update slowwave.webhooks set secret = ${secret}, updated_at = ${instantOf(at)}
    where tenant = ${tenant} and id = ${id}::uuid returning 1`);
  return rows.length > 0 ? secret : null;
}
