import { readUsageRoute } from '@slowwave/api';
import { type CallUsage, readUsage } from '@slowwave/db';
import { dollarsOfNanos } from '@slowwave/models';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';

const DAY_MS = 86_400_000;

/** What calls took, with their cost in dollars. */
function told<U extends CallUsage>({
  costNanos,
  ...usage
}: U): Omit<U, 'costNanos'> & { costDollars: number } {
  return { ...usage, costDollars: dollarsOfNanos(BigInt(costNanos)) };
}

/** What language models cost a tenant, or one user of it. */
export function registerUsage(app: FastifyInstance, { database, now }: AppOptions): void {
  serve(app, readUsageRoute, async ({ tenant, query: { user, days } }) => {
    const today = Math.floor(now() / DAY_MS) * DAY_MS;
    const since = today - (days - 1) * DAY_MS;
    const usage = await database.withTenant(tenant, (tx) => readUsage(tx, { tenant, user, since }));
    return {
      tenant,
      user: user ?? null,
      since,
      total: told(usage.total),
      days: usage.days.map(told),
      models: usage.models.map(told),
      steps: usage.steps.map(told),
      users: usage.users.map(told),
    };
  });
}
