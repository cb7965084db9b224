/** What forgetting does about a column that can hold words, or the id of something that has words. */
export type TextRule =
  /** A name or an id that somebody chose or we drew: it says nothing, and goes with its row. */
  | 'identifier'
  /** A word of a closed list, a hash, a number in letters, the name of a model: it says nothing, and goes with its row. */
  | 'code'
  /** The row goes with the memory that it is, or is about. */
  | 'memory'
  /** The row goes when its text says what a forgotten memory said, and with its session. */
  | 'message'
  /** The row goes when its session goes or loses a message; it is made anew of what is left. */
  | 'summary'
  /** The row goes when it holds the text or is a part of it, and when it brought a forgotten memory back. */
  | 'question'
  /** Emptied when something that the answer was made of is forgotten. */
  | 'answer'
  /** Removed, or made anew, with the answer that it stood in, whatever it is about: the model had the forgotten text before its eyes. */
  | 'thought'
  /** Nulled when it may stem from what is forgotten, and learned anew. */
  | 'profile'
  /** Every image of a change set goes when one of them is about something forgotten, or quotes it. */
  | 'image'
  /** The row goes with its memory; ids of others that went are taken out. */
  | 'cold'
  /** A person's own words for another purpose: they stay, and forgetting tells where they hold the text. */
  | 'mentioned'
  /** Lines of ours about it are cut out, and what a model wrote of it goes; a person's own words stay, and forgetting tells where. */
  | 'document'
  /** Emptied when it holds the text, or a line of ours about it. */
  | 'earlier'
  /** Nulled when what it names goes. */
  | 'unlinked'
  /** The id of a memory that stands for this one; this one stands for itself again when that one goes. */
  | 'successor'
  /** Counts and codes; goes with its user, or with its age. */
  | 'report'
  /** An id, or a hash of an id, that stays so that nothing brings the memory back; goes with its user. */
  | 'tombstone'
  /** Belongs to nobody. */
  | 'common';

type Rules = Partial<Record<TextRule, string>>;

/** Table by table, columns by rule. */
const RULES: Record<string, Rules> = {
  users: { identifier: 'tenant id', code: 'timezone mode conflict_policy' },
  user_tiers: { identifier: 'tenant user_id requested_run', code: 'tier quarantine_code' },
  leases: { identifier: 'tenant user_id holder' },
  tenant_pauses: { common: 'tenant tier' },
  tier_pauses: { common: 'tier' },
  migrations: { common: 'name hash' },
  embedding_models: { common: 'model' },
  model_rates: { common: 'provider model' },
  judge_exams: { common: 'model version' },
  memories: {
    identifier: 'tenant user_id id external_id workspace session',
    code: 'visibility content_hash category memory_type prior_type origin learned_from',
    memory: 'content source_chunk metadata words',
    successor: 'superseded_by',
  },
  cold_memories: { identifier: 'tenant user_id id', cold: 'memory relations fusion_sources' },
  relations: {
    identifier: 'tenant user_id',
    memory: 'source_id target_id',
    code: 'relation_type',
    thought: 'explanation',
  },
  embeddings: {
    identifier: 'tenant user_id model',
    memory: 'memory_id vector long_vector content_hash',
  },
  neighbours: { identifier: 'tenant user_id model', memory: 'memory_id neighbour_id' },
  closeness: { identifier: 'tenant user_id model', memory: 'memory_id other_id' },
  word_scores: { identifier: 'tenant user_id model', memory: 'memory_id content_hash' },
  conflicts: {
    identifier: 'tenant user_id id actor run_id model',
    code: 'status type source resolved_by',
    memory: 'a_id b_id a_hash b_hash accuser winner',
    thought: 'slot description resolution',
  },
  tombstones: { identifier: 'tenant user_id', tombstone: 'memory_id' },
  rem_verdicts: { identifier: 'tenant user_id model run_id', memory: 'a_id b_id' },
  sessions: { identifier: 'tenant user_id id agent' },
  messages: { identifier: 'tenant user_id session_id external_id', code: 'role', message: 'content' },
  session_summaries: {
    identifier: 'tenant user_id session_id model',
    summary: 'summary topics content_hash',
  },
  summary_embeddings: { identifier: 'tenant user_id session_id model', summary: 'content_hash vector' },
  recall_events: { identifier: 'tenant user_id id', question: 'query' },
  recall_hits: { identifier: 'tenant user_id event_id', memory: 'memory_id' },
  feedback: { identifier: 'tenant user_id id', code: 'kind', unlinked: 'session_id' },
  user_profiles: { identifier: 'tenant user_id', profile: 'behaviour profile rem_graph' },
  goals: { identifier: 'tenant user_id id external_id', code: 'status', mentioned: 'title' },
  scheduled_items: {
    identifier: 'tenant user_id id external_id goal_id',
    code: 'kind status goal_stage',
    mentioned: 'content recurrence',
  },
  model_answers: {
    identifier: 'tenant user_id run_id model',
    code: 'key step stop_reason state',
    answer: 'output memory_ids session_ids',
  },
  model_batches: { identifier: 'tenant id model provider_id', code: 'state' },
  batch_requests: {
    identifier: 'tenant user_id id batch_id run_id call_id model',
    code: 'question step state stop_reason',
    answer: 'body answer',
  },
  tenant_settings: { identifier: 'tenant', report: 'evaluation' },
  model_calls: { identifier: 'tenant user_id id run_id provider model', code: 'tier step state' },
  user_spend: { identifier: 'tenant user_id', code: 'period' },
  tenant_spend: { identifier: 'tenant' },
  fusions: {
    identifier: 'tenant user_id run_id model answered_model decided_by',
    code: 'request key source_set tier kind prompt_version judge_secret status stop_reason answer_state error_code',
    answer: 'output proposal',
    tombstone: 'derived_id',
  },
  fusion_sources: { identifier: 'tenant user_id', code: 'fusion_key', memory: 'memory_id content_hash' },
  runs: { identifier: 'tenant user_id id', code: 'tier why status error_code', report: 'report' },
  change_sets: {
    identifier: 'tenant user_id id run_id actor undoes undone_by',
    code: 'fusion_key kind',
  },
  changes: {
    identifier: 'tenant user_id change_set_id',
    code: 'table_name',
    image: 'row_key before after',
  },
  workspaces: {
    identifier: 'tenant user_id id root_dir',
    code: 'backend insights_schedule insights_timezone',
  },
  documents: {
    identifier: 'tenant user_id workspace path updated_by',
    code: 'sha256',
    document: 'content',
  },
  document_versions: {
    identifier: 'tenant user_id workspace path id run_id replaced_by',
    earlier: 'content sha256_after',
  },
  import_blocks: {
    identifier: 'tenant user_id workspace path',
    code: 'state',
    tombstone: 'block_hash',
    unlinked: 'memory_id replaced_by',
  },
  import_files: { identifier: 'tenant user_id workspace path', code: 'sha256' },
  projected_lines: { identifier: 'tenant user_id workspace path', memory: 'memory_id line_hash' },
  workspace_runs: {
    identifier: 'tenant user_id workspace id run_id',
    code: 'work status reason',
    report: 'report',
  },
  api_tokens: { identifier: 'tenant id name created_by', code: 'role digest' },
  idempotency_keys: { identifier: 'tenant caller user_id', code: 'key request_hash', answer: 'answer' },
  webhooks: { identifier: 'tenant id url secret', code: 'events' },
  webhook_deliveries: {
    identifier: 'tenant user_id id webhook_id',
    code: 'event error_code',
    report: 'payload',
  },
};

/**
 * The rule of every column of ours that can hold words or ids, by `table.column`. A column without one is a column that forgetting does not
 * know of: the tests compare this list with the database's own.
 */
export const TEXT_RULES: Readonly<Record<string, TextRule>> = Object.fromEntries(
  Object.entries(RULES).flatMap(([table, rules]) =>
    Object.entries(rules).flatMap(([rule, columns]) =>
      columns.split(' ').map((column) => [`${table}.${column}`, rule as TextRule] as const),
    ),
  ),
);
