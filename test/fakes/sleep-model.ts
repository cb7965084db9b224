import {
  type CompletionRequest,
  type CompletionResponse,
  type LLMProvider,
  readLabelRequest,
  readReflectionRequest,
  readRemRequest,
  readSummaryRequest,
} from '@slowwave/fusion';
import { createOfflineProvider } from '@slowwave/models';
import {
  answerStatements,
  asksForStatements,
  isJudgeRequest,
  joinNotes,
  type StatementScript,
} from './statement-model.ts';

export type Kind = 'fusion' | 'judge' | 'summary' | 'labels' | 'rem' | 'reflection';

export interface SleepModel {
  provider: LLMProvider;
  /** What was asked, in order. */
  calls: { kind: Kind; text: string }[];
  /** Told of every request before it is answered: throw to fail, return an answer of another kind, or nothing to answer well. */
  intercept: ((kind: Kind, text: string) => unknown) | null;
}

/** A model in this process that answers every question of the tiers well, from the words it is given. */
export function createSleepModel(
  name = 'sleep-model',
  script: StatementScript = { write: joinNotes },
): SleepModel {
  const offline = createOfflineProvider();
  const model: SleepModel = {
    calls: [],
    intercept: null,
    provider: {
      name,
      model: name,
      isAvailable: () => true,
      async complete(request) {
        const text = request.messages.map(({ content }) => content).join('\n');
        const kind = kindOf(request);
        model.calls.push({ kind, text });
        const given = model.intercept?.(kind, text);
        if (given !== undefined) return responseOf(given, text, name);
        if (asksForStatements(request.system))
          return responseOf(answerStatements(text, script).answer(), text, name);
        if (kind === 'fusion' || kind === 'judge' || kind === 'labels')
          return { ...(await offline.complete(request)), model: name };
        return responseOf(answerOf(kind, request), text, name);
      },
    },
  };
  return model;
}

function kindOf(request: CompletionRequest): Kind {
  if (isJudgeRequest(request.system)) return 'judge';
  if (readLabelRequest(request)) return 'labels';
  if (readRemRequest(request)) return 'rem';
  if (readReflectionRequest(request)) return 'reflection';
  return readSummaryRequest(request) ? 'summary' : 'fusion';
}

function responseOf(answer: unknown, question: string, model: string): CompletionResponse {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return {
    content: [{ type: 'text', text }],
    stopReason: 'end_turn',
    usage: { inputTokens: Math.ceil(question.length / 4), outputTokens: Math.ceil(text.length / 4) },
    model,
  };
}

function answerOf(kind: Exclude<Kind, 'fusion' | 'judge' | 'labels'>, request: CompletionRequest): unknown {
  if (kind === 'summary') {
    const said = readSummaryRequest(request)!.filter(({ role }) => role === 'user');
    return { summary: said[0]!.text, topics: topicsOf(said.map(({ text }) => text)) };
  }
  if (kind === 'rem') {
    const { candidates } = readRemRequest(request)!;
    const scores = { novelty: 4, plausibility: 4, usefulness: 4 };
    return {
      verdicts: candidates.map((_, i) => ({ n: i + 1, ...scores, explanation: 'Both belong together.' })),
    };
  }
  const { summaries } = readReflectionRequest(request)!;
  return {
    insights: [{ content: summaries[0]!.summary, sources: [1] }],
    profile: 'The user is brief.',
  };
}

/** The first plain words of a text; long enough to be about something. */
function topicsOf(texts: string[]): string[] {
  const words = texts.join(' ').match(/(?<![\p{L}\p{N}])\p{Ll}{4,}/gu) ?? [];
  return [...new Set(words)].slice(0, 5);
}
