import { readFence } from '../fence.ts';
import { ADDED, buildJudgeRequest, EMPTY, LOST } from '../judge/request.ts';
import { SHIPPED_CANARIES } from '../judge/shipped-canaries.ts';
import { type CompletionRequest, type LLMProvider, ModelError } from '../ports.ts';
import { LENGTH_SHARE, MAX_SOURCES, MAX_WORDS } from '../statements/answer.ts';
import { buildStatementsRequest } from '../statements/prompt.ts';
import { joinRepeats } from '../statements/repeats.ts';

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
      const { kind, answer } = answerStatements(content, script);
      requests.push(request);
      kinds.push(kind);
      script.before?.(request);
      const value = answer();
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const usage = { inputTokens: 100, outputTokens: 20 };
      return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage, model: name };
    },
  };
}

const SYSTEMS: readonly (string | undefined)[] = [
  buildStatementsRequest({ members: [], relations: [] }).system,
  buildJudgeRequest([], { vote: 1 }).system,
];

/** Whether a system text is that of a writer of statements, or of their judge. */
export const asksForStatements = (system: string | undefined): boolean => SYSTEMS.includes(system);

/** Whether a system text is that of a judge. */
export const isJudgeRequest = (system: string | undefined): boolean =>
  system !== undefined && system === SYSTEMS[1];

/** What a scripted writer and judge answer to the text of a request. */
export function answerStatements(
  content: string,
  script: StatementScript,
): { kind: 'write' | 'repair' | 'judge'; answer: () => unknown } {
  const items = readFence('STATEMENTS', content) as ShownItem[] | null;
  if (items) return { kind: 'judge', answer: () => ({ items: items.map((item) => answerTo(item, script)) }) };
  const isRepair = readFence('DRAFT', content) !== null;
  const notes = (readFence('SOURCES', content) ?? []) as ShownNote[];
  return { kind: isRepair ? 'repair' : 'write', answer: () => script.write(notes, isRepair) };
}

/**
 * Joins notes that share whole sentences, which needs no judge; else as many notes as fit into one statement, which keeps their names and
 * figures and leaves out plain words.
 */
export function joinNotes(notes: readonly ShownNote[]): {
  statements: { sources: number[]; text: string }[];
  conflicts: [];
} {
  const repeats = joinRepeats(notes);
  if (repeats.length > 0) return { statements: repeats, conflicts: [] };
  for (let count = Math.min(notes.length, MAX_SOURCES); count >= 2; count -= 1) {
    const taken = notes.slice(0, count);
    const text = shortened(taken.map((note) => note.text));
    if (text !== null) return { statements: [{ sources: taken.map(({ n }) => n), text }], conflicts: [] };
  }
  return { statements: [], conflicts: [] };
}

function shortened(texts: readonly string[]): string | null {
  const words = texts.join('; ').split(' ');
  const limit = Math.floor(LENGTH_SHARE * texts.reduce((sum, text) => sum + text.length, 0));
  // What was said before need not be said again, then plain words from the end.
  const kept: (string | null)[] = words.map((word, at) =>
    /^[a-z]+;?$/.test(word) && words.indexOf(word) < at ? null : word,
  );
  for (let at = kept.length - 1; at > 0 && lengthOf(kept) > limit; at -= 1)
    if (kept[at] !== null && /^[a-z]+;?$/.test(kept[at]!)) kept[at] = null;
  const text = kept.filter((word) => word !== null).join(' ');
  return text.length <= limit && text.split(' ').length <= MAX_WORDS ? text : null;
}

const lengthOf = (words: readonly (string | null)[]): number =>
  words.reduce((sum, word) => sum + (word === null ? 0 : word.length + 1), 0);

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
      when: 'none',
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
