import {
  type Candidate,
  type CompletionRequest,
  type FusionStatus,
  type MemoryCategory,
  type ProposalView,
  readProposals,
  readRestatements,
  type StatementJudge,
  type StoredAnswer,
  type Tier,
} from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { sourceSetOf } from '../ids.ts';
import { msOf } from '../instants.ts';
import { candidateColumns } from '../memories/candidates.ts';
import type { FusionKind } from '../schema/ledger.ts';
import { statementsMethodOf, Unanswered, withStoredJudge } from './judge-answers.ts';
import { FUSION_MODEL } from './list.ts';
import { withLocalDay } from './load.ts';
import { owned } from './scope.ts';

/** A memory that a fusion was made of, as it is now. Instants in epoch ms. */
export interface FusionSourceView {
  id: string;
  externalId: string | null;
  content: string;
  category: MemoryCategory;
  memoryType: Candidate['memoryType'];
  importance: number;
  confidence: number;
  trust: number;
  documentDate: number;
  isLatest: boolean;
  /** By this fusion. */
  superseded: boolean;
  /** It says something else than when the fusion was made of it. */
  changed: boolean;
}

/** What a fusion says, wherever it stands by now. */
export interface FusionTextView {
  /** stored: a memory. proposed: waits for a person. */
  state: 'stored' | 'proposed';
  /** Of the memory; null where there is none. */
  id: string | null;
  content: string;
  category: MemoryCategory;
  importance: number;
  confidence: number;
  trust: number;
}

/** One fusion with everything that is known of it. Instants in epoch ms. */
export interface FusionDetail {
  key: string;
  user: string;
  kind: FusionKind;
  tier: Tier;
  status: FusionStatus;
  errorCode: string | null;
  runId: string | null;
  attempt: number;
  createdAt: number;
  updatedAt: number;
  promptVersion: string;
  /** The model that answered, or else the one that was to. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** While it waits for a person. */
  reviewExpiresAt: number | null;
  decidedBy: string | null;
  decidedAt: number | null;
  derived: FusionTextView | null;
  sources: FusionSourceView[];
  /** Of a statement: the fusion that it was an answer to. */
  request: string | null;
  /** Of a fusion that is closed: its statements, in the order of the answer. */
  statements: { key: string; status: FusionStatus; content: string | null }[];
  /**
   * What its answer proposed and what the gate said of each statement; of a statement, what was proposed of its sources. Null where nothing
   * was proposed, or that is not on record any more.
   */
  proposals: ProposalView[] | null;
  /** The entry of the journal that it made last; null while it made none. */
  changeSetId: string | null;
  /** Can be taken back, or made good again, unless something later stands on it. */
  undoable: boolean;
  redoable: boolean;
}

type Owned = { tenant: string; user: string; key: string };

interface LedgerRow
  extends Omit<FusionDetail, 'derived' | 'sources' | 'proposals' | 'changeSetId' | 'undoable' | 'redoable'> {
  sourceSet: string;
  judgeSecret: string | null;
  timezone: string;
  output: string | null;
  stopReason: string | null;
  stored: Omit<FusionTextView, 'state'> | null;
  proposed: Omit<FusionTextView, 'state' | 'id'> | null;
  changeSet: { id: string; undone: boolean; dropped: boolean } | null;
}

type SourceRow = Candidate &
  Omit<FusionSourceView, keyof Candidate> & {
    groupNo: number | null;
    /** Its date when the fusion was planned, epoch ms: later notes move that of a statement. Null: as it is now. */
    askedDate: number | null;
  };

/**
 * One fusion with its sources as they are now, what it says, and why it did not come to pass.
 * @param input.at epoch ms; prominence is taken at this instant
 * @returns null when this user has none of that key
 */
export async function readFusion(
  tx: Transaction,
  input: Owned & { at: number },
): Promise<FusionDetail | null> {
  const row = await readLedger(tx, input);
  if (!row) return null;
  const sources = await readSources(tx, input);
  const {
    sourceSet: _sourceSet,
    judgeSecret: _judgeSecret,
    timezone: _timezone,
    output: _output,
    stopReason: _stopReason,
    stored,
    proposed,
    changeSet,
    ...plain
  } = row;
  return {
    ...plain,
    derived: textOf({ stored, proposed }),
    sources: sources.map(sourceViewOf),
    proposals:
      row.request === null
        ? await proposalsOf(tx, input, row, sources)
        : await proposalsAbout(tx, { ...input, key: row.request }, sources),
    changeSetId: changeSet?.id ?? null,
    undoable: changeSet !== null && !changeSet.undone && !changeSet.dropped,
    redoable: changeSet?.undone === true && !changeSet.dropped,
  };
}

/** The ledger's row of a fusion, with the memory that it made and the last change set it made. */
async function readLedger(tx: Transaction, of: Owned): Promise<LedgerRow | undefined> {
  const [row] = await tx.rows<LedgerRow>(sql`
    select f.key, f.user_id as "user", f.kind, f.tier, f.status, f.error_code as "errorCode", f.run_id as "runId", f.attempt,
      ${msOf('f.created_at')} as "createdAt", ${msOf('f.updated_at')} as "updatedAt", f.prompt_version as "promptVersion",
      f.judge_secret as "judgeSecret",
      f.request, (select coalesce(jsonb_agg(jsonb_build_object('key', p.key, 'status', p.status,
          'content', coalesce(d.content, p.proposal->>'content')) order by p.position), '[]')
        from slowwave.fusions p left join slowwave.memories d on d.tenant = p.tenant and d.user_id = p.user_id and d.id = p.derived_id
        where p.tenant = f.tenant and p.user_id = f.user_id and p.request = f.key) as statements,
      ${FUSION_MODEL} as model, f.input_tokens::float8 as "inputTokens",
      f.output_tokens::float8 as "outputTokens", ${msOf('f.review_expires_at')} as "reviewExpiresAt", f.decided_by as "decidedBy",
      ${msOf('f.decided_at')} as "decidedAt", f.source_set as "sourceSet", u.timezone, f.output, f.stop_reason as "stopReason",
      (select jsonb_build_object('id', d.id, 'content', d.content, 'category', d.category, 'importance', d.importance,
          'confidence', d.confidence, 'trust', d.trust)
        from slowwave.memories d where d.tenant = f.tenant and d.user_id = f.user_id and d.id = f.derived_id) as stored,
      case when f.kind = 'fusion' and f.proposal is not null then jsonb_build_object('content', f.proposal->'content',
        'category', f.proposal->'category', 'importance', f.proposal->'importance', 'confidence', f.proposal->'confidence',
        'trust', f.proposal->'trust') end as proposed,
      (select jsonb_build_object('id', c.id, 'undone', c.undone_by is not null, 'dropped', c.images_dropped_at is not null)
        from slowwave.change_sets c
        where c.tenant = f.tenant and c.user_id = f.user_id and c.fusion_key = f.key and c.kind in ('fusion', 'merge')
        order by c.created_at desc, c.id desc limit 1) as "changeSet"
    from slowwave.fusions f join slowwave.users u on u.tenant = f.tenant and u.id = f.user_id
    where ${owned(of, 'f')} and f.key = ${of.key}`);
  return row;
}

/** The sources of a fusion in the order in which the model saw them, without those that are gone. */
function readSources(tx: Transaction, of: Owned & { at: number }): Promise<SourceRow[]> {
  return tx.rows(sql`
    select ${candidateColumns(of.at)}, m.external_id as "externalId", m.is_latest as "isLatest", s.superseded, s.group_no as "groupNo",
      m.content_hash <> s.content_hash as changed,
      (select ${msOf("(h.before->>'document_date')::timestamptz")}
        from slowwave.changes h join slowwave.change_sets c on c.tenant = h.tenant and c.user_id = h.user_id and c.id = h.change_set_id
        where ${owned(of, 'h')} and h.row_key->>'id' = m.id::text and h.table_name = 'memories' and h.before ? 'document_date'
          and c.created_at >= f.created_at
        order by c.created_at, c.id limit 1) as "askedDate"
    from slowwave.fusion_sources s
    join slowwave.fusions f on f.tenant = s.tenant and f.user_id = s.user_id and f.key = s.fusion_key
    join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
    where ${owned(of, 's')} and s.fusion_key = ${of.key}
    order by s.position`);
}

function textOf(of: { stored: LedgerRow['stored']; proposed: LedgerRow['proposed'] }): FusionTextView | null {
  if (of.stored) return { state: 'stored', ...of.stored };
  return of.proposed && { state: 'proposed', id: null, ...of.proposed };
}

function sourceViewOf(row: SourceRow): FusionSourceView {
  const { id, externalId, content, category, memoryType, importance, confidence, trust } = row;
  const { documentDate, isLatest, superseded, changed } = row;
  return {
    id,
    externalId,
    content,
    category,
    memoryType,
    importance,
    confidence,
    trust,
    documentDate,
    isLatest,
    superseded,
    changed,
  };
}

/** Those of a request that are about exactly these sources. */
async function proposalsAbout(
  tx: Transaction,
  request: Owned & { at: number },
  sources: readonly SourceRow[],
): Promise<ProposalView[] | null> {
  const row = await readLedger(tx, request);
  const proposals = row ? await proposalsOf(tx, request, row, await readSources(tx, request)) : null;
  const setOf = (ids: readonly string[]) => [...ids].sort().join(' ');
  const wanted = setOf(sources.map(({ id }) => id));
  return proposals === null ? null : proposals.filter(({ sourceIds }) => setOf(sourceIds) === wanted);
}

/** Its votes may be gone with something forgotten, or not be there yet. */
async function proposalsOf(
  tx: Transaction,
  { tenant, user, key }: Owned,
  row: LedgerRow,
  sources: readonly SourceRow[],
): Promise<ProposalView[] | null> {
  const { promptVersion, judgeSecret, timezone, output, inputTokens, outputTokens, model } = row;
  const members = sources.map(({ askedDate, ...source }) =>
    withLocalDay({ ...source, documentDate: askedDate ?? source.documentDate }, timezone),
  );
  const isWhole = members.length > 0 && sourceSetOf(members) === row.sourceSet;
  const isAnswered = output !== null || (row.kind === 'restatement' && row.status === 'closed');
  if (!isWhole || !isAnswered || statementsMethodOf(promptVersion) === null) return null;
  const cluster = { members, groups: sources.flatMap(({ groupNo }) => groupNo ?? []), relations: [] };
  const answerOf = (text: string): StoredAnswer => ({
    text,
    stopReason: row.stopReason ?? 'end_turn',
    inputTokens,
    outputTokens,
    model,
  });
  const memoryIds = members.map(({ id }) => id);
  const owner = { tenant, user, key, promptVersion, judgeSecret, memoryIds };
  const onRecord = (judge: StatementJudge): StatementJudge => ({
    ...judge,
    async ask(question) {
      const answer = await judge.ask(question).catch((error: unknown) => {
        // A repair that the worker never asked for reads as one that came to nothing.
        if (question.purpose === 'repair' && error instanceof Unanswered) return answerOf('');
        throw error;
      });
      if (question.purpose !== 'repair' && isOfAnother(answer.text, question.request)) throw new Unanswered();
      return answer;
    },
  });
  try {
    return await withStoredJudge(tx, owner, (asked) => {
      const judge = asked && onRecord(asked);
      return output === null
        ? readRestatements(cluster, judge)
        : readProposals(cluster, answerOf(output), judge);
    });
  } catch (error) {
    if (error instanceof Unanswered) return null;
    throw error;
  }
}

/** Whether an answer names none of the items of a request: a source had another day then, or its person lived elsewhere. */
function isOfAnother(answer: string, { messages }: CompletionRequest): boolean {
  const idsIn = (text: string) => [...text.matchAll(/"id":\s*"([^"]*)"/g)].map(([, id]) => id);
  const given = idsIn(answer);
  const asked = new Set(messages.flatMap(({ content }) => idsIn(content)));
  return given.length > 0 && !given.some((id) => asked.has(id));
}
