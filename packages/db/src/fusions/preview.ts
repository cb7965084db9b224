import {
  type Candidate,
  type DerivedMemory,
  decideRestatements,
  decideStatements,
  type FusionFailure,
  type FusionStatus,
  type MemoryCategory,
  type ReportedPair,
  type StatementsVerdict,
  type Tier,
} from '@slowwave/fusion';
import type { Transaction } from '../database.ts';
import { statementKeyOf } from '../ids.ts';
import { countLatest } from '../memories/candidates.ts';
import { getRun, type Run } from '../scheduling/run-records.ts';
import { statementsMethodOf, Unanswered, withStoredJudge } from './judge-answers.ts';
import { type LoadedFusion, loadFusions } from './load.ts';

/** Why a fusion would not come to pass, or 'ok'. */
export type PreviewVerdict =
  | 'ok'
  | FusionFailure
  /** A source changed since. */
  | 'stale'
  /** There is no answer yet, or not all of them: `errorCode` says why. */
  | 'unanswered'
  /** Nothing would be joined: no statement was proposed, or none was accepted. */
  | 'nothing'
  /** It has ended otherwise since; `status` says how. */
  | 'over';

export interface PreviewSource {
  id: string;
  content: string;
  category: MemoryCategory;
  /** Epoch ms. */
  documentDate: number;
  fate: 'superseded' | 'confirmed' | 'kept';
}

/** A fusion as it would be. */
export interface PreviewFusion {
  key: string;
  /** Where it stands in the ledger now. */
  status: FusionStatus;
  verdict: PreviewVerdict;
  errorCode: string | null;
  /** Only when the verdict is 'ok'. */
  derived: DerivedMemory | null;
  /** Ids of the sources that would be superseded. */
  covered: string[];
  /** Empty when a source changed since. */
  sources: PreviewSource[];
  /** Pairs that the model says disagree; a run would report them. */
  conflicts: ReportedPair[];
}

/** Two duplicates of which one would stand for both. */
export interface PreviewMerge {
  key: string;
  status: FusionStatus;
  verdict: 'ok' | 'stale' | 'over';
  /** The one that stays first; empty when one changed since. */
  sources: PreviewSource[];
}

/** What a run would do, as its preview found it. */
export interface PreviewView {
  runId: string;
  tier: Tier;
  /** Of the preview itself; nothing is known before it has ended. */
  status: Run['status'];
  errorCode: string | null;
  fusions: PreviewFusion[];
  merges: PreviewMerge[];
}

/** States from which a run would still go on. */
const OPEN = new Set(['planned', 'generated', 'stale', 'expired']);

/**
 * What a previewed run would have done: its answers are judged again, in its order, by the same code as a run judges them. It reads
 * the ledger as it is now, so what has changed since shows as such.
 * @returns null when there is no such run, or it was no preview
 */
export async function previewOf(
  tx: Transaction,
  of: { tenant: string; user: string; runId: string },
): Promise<PreviewView | null> {
  const run = await getRun(tx, of);
  if (!run?.preview) return null;
  const at = run.startedAt ?? run.requestedAt;
  const loaded = await loadFusions(tx, { ...of, keys: keysOf(run), at });
  const latestCount = loaded.length > 0 ? await countLatest(tx, of) : 0;
  const merges = loaded.filter(({ kind }) => kind === 'merge').map(previewMerge);
  const countMerges = () => merges.filter(({ verdict }) => verdict === 'ok').length;
  const fusions: PreviewFusion[] = [];
  for (const asked of loaded.filter(({ kind }) => kind === 'restatement')) {
    const context = { at, latestCount, alreadySuperseded: countMerges() };
    const previewed = await previewRestatement(tx, of, asked, context);
    if (Array.isArray(previewed)) merges.push(...previewed);
    else fusions.push(previewed);
  }
  let alreadySuperseded = countMerges();
  for (const fusion of loaded.filter(({ kind }) => kind === 'fusion')) {
    const context = { at, latestCount, alreadySuperseded };
    const previews = await previewStatements(tx, of, fusion, context);
    alreadySuperseded += previews.reduce((sum, { covered }) => sum + covered.length, 0);
    fusions.push(...previews);
  }
  const { id: runId, tier, status, errorCode } = run;
  return { runId, tier, status, errorCode, fusions, merges };
}

const KEY = /^[0-9a-f]{64}$/;

/** The keys that the steps of a preview name in their counts, in their order. */
function keysOf({ report }: Run): string[] {
  const steps = (report as { steps?: { counts?: { keys?: unknown } }[] } | null)?.steps ?? [];
  const named = steps.flatMap(({ counts }) => (Array.isArray(counts?.keys) ? counts.keys : []));
  return named.filter((key): key is string => typeof key === 'string' && KEY.test(key));
}

function sourceOf(member: Candidate, fate: PreviewSource['fate']): PreviewSource {
  const { id, content, category, documentDate } = member;
  return { id, content, category, documentDate, fate };
}

function previewMerge({ key, status, cluster }: LoadedFusion): PreviewMerge {
  const members = cluster?.members ?? [];
  const verdict = !OPEN.has(status) ? 'over' : members.length === 2 ? 'ok' : 'stale';
  return {
    key,
    status,
    verdict,
    sources: members.map((member, i) => sourceOf(member, i === 0 ? 'confirmed' : 'superseded')),
  };
}

type PreviewContext = { at: number; latestCount: number; alreadySuperseded: number };

function plainPreview({ key, status, tier, errorCode, cluster }: LoadedFusion): PreviewFusion {
  const members = cluster?.members ?? [];
  const plain: PreviewFusion = {
    key,
    status,
    verdict: 'unanswered',
    errorCode,
    derived: null,
    covered: [],
    sources: members.map((member) => sourceOf(member, 'kept')),
    conflicts: [],
  };
  if (!OPEN.has(status)) return { ...plain, verdict: 'over' };
  return !cluster || tier === 'light' ? { ...plain, verdict: 'stale' } : plain;
}

/** One for each note that a statement would stand for; the request itself where it is not answered, or cannot be used any more. */
async function previewRestatement(
  tx: Transaction,
  { tenant, user }: { tenant: string; user: string },
  asked: LoadedFusion,
  context: PreviewContext,
): Promise<PreviewMerge[] | PreviewFusion> {
  const plain = plainPreview(asked);
  const { key, status, promptVersion, judgeSecret, tier, cluster } = asked;
  if (plain.verdict !== 'unanswered' || !cluster || tier === 'light') return plain;
  const memoryIds = cluster.members.map(({ id }) => id);
  try {
    const owner = { tenant, user, key, promptVersion, judgeSecret, memoryIds };
    const { merges } = await withStoredJudge(tx, owner, (judge) =>
      decideRestatements(cluster, { ...context, tier, judge }),
    );
    if (merges.length === 0) return { ...plain, verdict: 'nothing' };
    return merges.map(({ keepId, dropId }) => {
      const memberOf = (id: string) => cluster.members.find((member) => member.id === id)!;
      const [keep, drop] = [memberOf(keepId), memberOf(dropId)];
      const sources = [sourceOf(keep, 'confirmed'), sourceOf(drop, 'superseded')];
      return { key: statementKeyOf(key, [keep, drop]), status, verdict: 'ok', sources };
    });
  } catch (error) {
    if (error instanceof Unanswered) return plain;
    throw error;
  }
}

/** One for each statement that would be written; one for the fusion where there would be none. What was asked in another way is asked anew. */
async function previewStatements(
  tx: Transaction,
  { tenant, user }: { tenant: string; user: string },
  fusion: LoadedFusion,
  context: PreviewContext,
): Promise<PreviewFusion[]> {
  const plain = plainPreview(fusion);
  const { key, promptVersion, judgeSecret, tier, cluster, answer } = fusion;
  if (plain.verdict !== 'unanswered' || !cluster || !answer || tier === 'light') return [plain];
  if (statementsMethodOf(promptVersion) === null) return [plain];
  const memoryIds = cluster.members.map(({ id }) => id);
  const owner = { tenant, user, key, promptVersion, judgeSecret, memoryIds };
  let verdict: StatementsVerdict;
  try {
    verdict = await withStoredJudge(tx, owner, (judge) =>
      decideStatements(cluster, answer, { ...context, tier, judge, repairs: true }),
    );
  } catch (error) {
    if (error instanceof Unanswered) return [plain];
    throw error;
  }
  if (!verdict.ok) return [{ ...plain, verdict: verdict.reason }];
  const { derived: statements, conflicts } = verdict;
  if (statements.length === 0) return [{ ...plain, verdict: 'nothing', conflicts }];
  return statements.map((derived, at) => {
    const covered = new Set(derived.coveredIds);
    const members = cluster.members.filter(({ id }) => covered.has(id));
    return {
      ...plain,
      key: statementKeyOf(key, members),
      verdict: 'ok',
      derived,
      covered: derived.coveredIds,
      sources: members.map((member) => sourceOf(member, 'superseded')),
      conflicts: at === 0 ? conflicts : [],
    };
  });
}
