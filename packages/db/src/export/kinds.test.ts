import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import * as schema from '../schema/index.ts';
import { EXPORT_KINDS } from './kinds.ts';
import { SAID_COLUMNS, STATE_COLUMNS } from './memory-shape.ts';

/** What an export leaves behind, and why. A new table or column stands in an export or here. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  users: 'its line is written by itself',
  user_tiers: 'schedules are found anew; pauses stand in the line of the user',
  leases: 'who works now',
  tenant_pauses: 'of no user',
  tier_pauses: 'of no user',
  api_tokens: 'of no user',
  webhooks: 'of no user',
  webhook_deliveries: 'events on their way',
  idempotency_keys: 'answers to requests of the last day',
  runs: 'runs',
  workspace_runs: 'runs',
  change_sets: 'the journal',
  changes: 'the journal',
  model_answers: 'spend',
  model_calls: 'spend',
  model_batches: 'of no user',
  batch_requests: 'questions on their way',
  tenant_settings: 'of no user',
  user_spend: 'spend',
  tenant_spend: 'of no user',
  model_rates: 'of no user',
  judge_exams: 'of no user',
  overall_spend: 'of no user',
  embedding_models: 'vectors',
  embeddings: 'vectors',
  summary_embeddings: 'vectors',
  neighbours: 'vectors',
  closeness: 'vectors',
  word_scores: 'vectors',
};

const COLUMNS_LEFT_OUT: Readonly<Record<string, string>> = {
  memories: 'content_hash',
  session_summaries: 'content_hash',
  documents: 'bytes sha256',
  fusions:
    'answer_state answered_model attempt error_code fence input_tokens judge_secret output output_tokens proposal review_expires_at run_id stop_reason',
};

const tables = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table as PgTable));

describe('what an export holds', () => {
  it('is every table of a user, or the table is left out for a reason', () => {
    const held = new Set([...EXPORT_KINDS.map(({ table }) => table), ...Object.keys(LEFT_OUT)]);
    expect(tables.map(({ name }) => name).filter((name) => !held.has(name))).toEqual([]);
    expect(EXPORT_KINDS.filter(({ table }) => LEFT_OUT[table] !== undefined)).toEqual([]);
  });

  it('is every column that the database does not compute, or the column is left out by name', () => {
    for (const { table, columns } of EXPORT_KINDS) {
      const config = tables.find(({ name }) => name === table)!;
      const missing = config.columns
        .filter((column) => !column.generated && !['tenant', 'user_id'].includes(column.name))
        .map(({ name }) => name)
        .filter((name) => !columns.some(({ column }) => column === name));
      expect([table, missing.sort().join(' ')]).toEqual([table, COLUMNS_LEFT_OUT[table] ?? '']);
    }
  });

  it('is ordered by the whole key of each table', () => {
    const keys = Object.fromEntries(
      EXPORT_KINDS.map(({ table, key }) => [table, key.map(({ column }) => column)]),
    );
    expect(keys).toMatchObject({
      memories: ['id'],
      relations: ['source_id', 'target_id', 'relation_type'],
      messages: ['session_id', 'position'],
      documents: ['workspace', 'path'],
      user_profiles: [],
    });
  });

  it('gives no two things of a line the same name', () => {
    for (const { kind, columns } of EXPORT_KINDS) {
      const fields = kind === 'memory' ? SAID_COLUMNS : columns;
      const names = ['kind', 'tenant', 'user', ...fields.map(({ field }) => field)];
      expect(new Set(names).size).toBe(names.length);
    }
    expect(SAID_COLUMNS.map(({ field }) => field)).not.toContain('state');
    expect(STATE_COLUMNS.length + SAID_COLUMNS.length).toBe(EXPORT_KINDS[0]!.columns.length);
  });
});
