import { checkRelations } from '@slowwave/db';
import type { Step } from '../context.ts';

/** Counts relations, those that hang in the air, and hypotheses that have faded. Changes nothing. */
export const relations: Step = {
  name: 'relations',
  async run({ database, tenant, user, at }) {
    const counts = await database.withTenant(tenant, (tx) => checkRelations(tx, { tenant, user, at }));
    return { status: 'done', counts: { ...counts } };
  },
};
