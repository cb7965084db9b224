import { confirmMemory, demoteMemory, explainMemory, setProminence } from '@slowwave/api';
import { explainMemory as explain } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { type ChangedMemory, changeMemory, type MemoryChange } from '../memory-change.ts';
import { unknownMemory } from './memories-problem.ts';
import type { AppOptions } from './options.ts';
import { type Call, serve } from './serve.ts';

/** How the prominence of one memory came about, and what people may do about it. */
export function registerProminence(app: FastifyInstance, options: AppOptions): void {
  const { database, now } = options;
  serve(app, explainMemory, async ({ tenant, params: { id }, query: { user } }) => {
    const found = await database.withTenant(tenant, (tx) => explain(tx, { tenant, user, id, at: now() }));
    if (found === null) throw unknownMemory();
    return found;
  });

  serve(app, confirmMemory, (call) => change(options, call, { kind: 'confirm' }));
  serve(app, demoteMemory, (call) => change(options, call, { kind: 'demote', factor: call.body.factor }));
  serve(app, setProminence, (call) => change(options, call, { kind: 'prominence', value: call.body.value }));
}

type ChangeCall = Call<typeof confirmMemory | typeof demoteMemory | typeof setProminence>;

/** Answers with the prominence before and after, and when the memory crosses next. */
async function change(
  { database, now, logger }: AppOptions,
  {
    tenant,
    params: { id },
    body: { user },
    principal,
  }: Pick<ChangeCall, 'tenant' | 'params' | 'body' | 'principal'>,
  wanted: MemoryChange,
): Promise<{ tenant: string } & ChangedMemory> {
  const changed = await database.withTenant(tenant, (tx) =>
    changeMemory(tx, { tenant, user, id, at: now() }, wanted),
  );
  if (changed === null) throw unknownMemory();
  const facts = { action: wanted.kind, tenant, user: changed.user, memory: changed.id, by: principal.name };
  logger.info(facts, 'an operator changed a memory');
  return { tenant, ...changed };
}
