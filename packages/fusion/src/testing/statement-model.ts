import { readFence } from '../fence.ts';
import { ADDED, EMPTY, LOST } from '../judge/request.ts';
import { SHIPPED_CANARIES } from '../judge/shipped-canaries.ts';
import { type CompletionRequest, type LLMProvider, ModelError } from '../ports.ts';

/** A note as a request for statements shows it. */
export interface ShownNote {
  n: number;
  date: string | null;
  text: string;
}

/** An item as a judge's request shows it. */
export interface ShownItem {
  id: string;
  statement: string;
  added: string[];
  sources: { n: number; date: string | null; text: string; missing: string[]; flags: string[] }[];
}

/** What a judge says of a statement; in 'lost' and 'added' of its first listed word. */
export type Judgement = 'same' | 'lost' | 'added' | 'changed';

export interface StatementScript {
  /** What the writer answers; a string is sent as it is. */
  write: (notes: ShownNote[], repair: boolean) => unknown;
  /** What the judge says of a statement that is no canary; 'same' when absent. */
  judge?: (item: ShownItem) => Judgement;
  /** What the judge says of canaries: honest when absent. */
  canary?: (item: ShownItem, honest: Judgement) => Judgement;
  /** Asked before anything is answered. */
  before?: (request: CompletionRequest) => void;
}

export interface StatementModel extends LLMProvider {
  requests: CompletionRequest[];
  /** Of each request, in order. */
  kinds: ('write' | 'repair' | 'judge')[];
}

/** A writer of statements and a judge that do as they are told. */
export function createStatementModel(script: StatementScript, name = 'scripted'): StatementModel {
  const requests: CompletionRequest[] = [];
  const kinds: StatementModel['kinds'] = [];
  return {
    name,
    model: name,
    requests,
    kinds,
    isAvailable: () => true,
    complete: async (request) => {
      if (request.signal?.aborted) throw new ModelError('aborted', { retryable: true });
      const content = request.messages.map((message) => message.content).join('\n');
      const items = readFence('STATEMENTS', content) as ShownItem[] | null;
      const isRepair = readFence('DRAFT', content) !== null;
      requests.push(request);
      kinds.push(items ? 'judge' : isRepair ? 'repair' : 'write');
      script.before?.(request);
      const answer = items
        ? { items: items.map((item) => answerTo(item, script)) }
        : script.write((readFence('SOURCES', content) ?? []) as ShownNote[], isRepair);
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      const usage = { inputTokens: 100, outputTokens: 20 };
      return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage, model: name };
    },
  };
}

function answerTo(item: ShownItem, { judge, canary }: StatementScript) {
  const known = canaryJudgement(item);
  const says = known === null ? (judge?.(item) ?? 'same') : (canary?.(item, known) ?? known);
  const first = item.sources[0]!;
  return {
    id: item.id,
    sources: item.sources.map(({ n, missing, flags }) => ({
      n,
      missing: missing.map((word) => ({ word, as: says === 'lost' && n === first.n ? LOST : EMPTY })),
      flags: flags.map((word) => ({ word, as: EMPTY })),
      differs: says === 'changed' ? 'something else' : '',
      verdict: says === 'same' ? 'same' : 'changed',
    })),
    added: item.added.map((word) => ({ word, as: says === 'added' ? ADDED : EMPTY })),
  };
}

/** Statements join two sources and more; a canary is about one, and either respelled or changed. */
function canaryJudgement({ statement, sources }: ShownItem): Judgement | null {
  if (sources.length > 1) return null;
  const { text } = sources[0]!;
  const shipped = SHIPPED_CANARIES.find(({ source }) => source === text);
  if (shipped && (statement === shipped.same || statement === shipped.changed))
    return statement === shipped.same ? 'same' : 'changed';
  return spelled(statement) === spelled(text) ? 'same' : 'changed';
}

const spelled = (text: string): string =>
  text
    .replace(/n['’]t\b/g, ' not')
    .replace(/\bcan not\b|\bca not\b/g, 'cannot')
    .replace(/['’]s\b(?= [a-z]+ing\b)/g, ' is')
    .replace(/&/g, 'and')
    .toLowerCase();
