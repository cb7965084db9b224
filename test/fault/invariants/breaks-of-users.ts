import { sql } from 'drizzle-orm';
import { ana, type Break, ben, DERIVED, drop } from './break.ts';
import { canaryOf } from './facts.ts';
import { tenant } from './fixture.ts';

const ANAS = sql`(select m.id from slowwave.memories m where m.user_id = 'ana' order by m.id limit 1)`;

/** What may happen between users, to schedules and to the books. */
export const BROKEN_USERS: Break[] = [
  {
    invariant: 'no-cross-user',
    how: 'a memory superseded by that of somebody else',
    statements: [
      drop('memories', 'memories_superseded_by'),
      sql`update slowwave.memories set superseded_by = ${ANAS} where user_id = 'ben' and external_id = 'f1'`,
    ],
    told: /ben: 1 rows of memories.superseded_by have the id of something of t\/ana/,
  },
  {
    invariant: 'no-cross-user',
    how: 'a run of somebody else, which no foreign key knows of',
    statements: [
      sql`update slowwave.fusions set run_id = (select r.id from slowwave.runs r where r.user_id = 'ana' limit 1) where user_id = 'ben'`,
    ],
    told: /fusions.run_id/,
  },
  {
    invariant: 'no-cross-user',
    how: 'an id in an image',
    statements: [
      sql`update slowwave.changes set after = jsonb_set(after, '{superseded_by}', to_jsonb(${ANAS}::text)) where user_id = 'ben'
        and after ? 'superseded_by'`,
    ],
    told: /changes.after/,
  },
  {
    invariant: 'no-cross-user',
    how: 'words of somebody else',
    statements: [
      sql`update slowwave.memories m set source_chunk = ${`beside the ${canaryOf(ana)}`} where ${DERIVED}`,
    ],
    told: /ben: memories holds a word/,
  },
  {
    invariant: 'no-cross-user',
    how: 'rows of nobody',
    statements: [
      drop('runs', 'runs_tenant_user_id_users_tenant_id_fk'),
      sql`update slowwave.runs set user_id = 'nobody' where user_id = 'ben'`,
    ],
    told: /t\/nobody: \d+ rows of runs belong to nobody/,
  },
  {
    invariant: 'due-users',
    how: 'somebody who is due and forgotten',
    statements: [
      sql`update slowwave.user_tiers set due_at = now() - interval '1 hour', next_attempt_at = '-infinity' where user_id = 'ben' and tier = 'deep'`,
    ],
    told: /ben: deep is due for 36\d{5} ms/,
  },
  {
    invariant: 'due-users',
    how: 'somebody who is held for good',
    statements: [
      sql`update slowwave.leases set expires_at = now() + interval '1 hour' where user_id = 'ben'`,
    ],
    told: /ben is held by/,
  },
  {
    invariant: 'due-users',
    how: 'a claim that nobody works on',
    statements: [
      sql`update slowwave.fusions set status = 'planned' where user_id = 'ben' and request is null`,
      sql`update slowwave.fusion_sources s set live = true from slowwave.fusions f
        where s.user_id = 'ben' and f.user_id = 'ben' and f.key = s.fusion_key and f.request is null`,
    ],
    told: /is planned and claims 4 memories/,
  },
  {
    invariant: 'due-users',
    how: 'a run without an end',
    statements: [
      sql`update slowwave.runs set status = 'running' where user_id = 'ben'`,
      sql`update slowwave.user_tiers set due_at = now() + interval '1 day' where user_id = 'ben'`,
    ],
    told: /ben: deep run .* is running/,
  },
  {
    invariant: 'failed-list',
    how: 'a failure that is in the failed list alone',
    statements: [sql`update slowwave.fusions set status = 'stale' where user_id = 'fay'`],
    told: /fay: fusion .* is in the failed list \(provider_error\w*\) and has not failed/,
  },
  {
    invariant: 'failed-list',
    how: 'a failure that is in the ledger alone',
    statements: [
      sql`update slowwave.fusions set status = 'failed', error_code = 'invalid_output' where user_id = 'ben'`,
    ],
    told: /ben: fusion .* failed \(invalid_output\) and is not in the failed list/,
  },
  {
    invariant: 'attempts',
    how: 'somebody in quarantine for no reason',
    statements: [
      sql`update slowwave.user_tiers set quarantined_at = now(), quarantine_code = 'never_ended' where user_id = 'ben'`,
    ],
    told: /ben is in quarantine \(never_ended\)/,
  },
  {
    invariant: 'judged-once',
    how: 'a rejected answer in force',
    statements: [
      sql`update slowwave.fusions set answer_state = 'rejected' where user_id = 'ben' and request is null`,
    ],
    told: /is closed and its answer is rejected/,
  },
  {
    invariant: 'judged-once',
    how: 'a statement of a fusion that is still open',
    statements: [
      sql`update slowwave.fusions set status = 'failed' where user_id = 'ben' and request is null`,
    ],
    told: /statement .* is applied and the fusion that it answers is failed/,
  },
  {
    invariant: 'judged-once',
    how: 'an answer paid for after one that may be used',
    statements: [1, 2].map(
      (attempt) => sql`
        insert into slowwave.model_answers (tenant, user_id, key, attempt, step, output, stop_reason, model, input_tokens, output_tokens, state,
          created_at)
        values (${tenant}, 'ben', ${'a'.repeat(64)}, ${attempt}, 'rem', '{}', 'end_turn', 'm', 1, 1, ${attempt === 1 ? 'accepted' : 'unjudged'}, now())`,
    ),
    told: /answer aaaaaaaaaaaa of rem: 2 attempts, the last is 2, 2 may be used/,
  },
  {
    invariant: 'told-once',
    how: 'a conflict told twice',
    statements: [
      sql.raw('drop index slowwave.conflicts_once'),
      ...[1, 2].map(
        () => sql`
          insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, source, detected_at)
          select ${tenant}, 'ben', gen_random_uuid(), min(id::text)::uuid, max(id::text)::uuid, 'a', 'b', 'twins', now() from slowwave.memories
          where user_id = 'ben'`,
      ),
    ],
    told: /the conflict of .* stands there 2 times/,
  },
  {
    invariant: 'told-once',
    how: 'runs that tell of more than was done',
    statements: [sql`delete from slowwave.fusions where user_id = 'ben'`],
    told: /ben: runs tell of 1 fusions and the ledger has 0/,
  },
  {
    invariant: 'words-stay',
    how: 'words in a report',
    statements: [
      sql`update slowwave.runs set report = jsonb_build_object('note', ${`the ${canaryOf(ben)}`}::text) where user_id = 'ben'`,
    ],
    told: /1 rows of slowwave.runs.report hold a planted word/,
  },
];
