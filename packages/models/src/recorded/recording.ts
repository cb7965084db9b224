import type { CompletionRequest } from '@slowwave/fusion';
import { type CanonicalRequest, canonicalOf, type MessagesBody, renumberAnswer } from './canonical.ts';

/** An answer as a large language model wrote it. */
export interface RecordedAnswer {
  key: string;
  prompt: string;
  /** What wrote it. */
  by: string;
  /** Canonical numbers of the items 1 to n of the request that was answered. */
  numbers: number[];
  text: string;
}

/**
 * Reads recorded answers, one in each line.
 * @throws Error naming the line that is no JSON
 */
export const parseAnswers = (text: string): RecordedAnswer[] => parseLines<RecordedAnswer>(text);

/**
 * Reads JSON lines; skips blank ones.
 * @throws Error naming the line that is no JSON
 */
export function parseLines<Line>(text: string): Line[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as Line];
    } catch {
      throw new Error(`line ${at + 1}: no JSON`);
    }
  });
}

/** A request that has no answer yet: `system` and `user` are the exact texts to put to a model. */
export interface OpenRequest {
  key: string;
  prompt: string;
  numbers: number[];
  maxTokens: number;
  system: string;
  user: string;
}

/** Finds the answer to a request, its items numbered as this request numbers them; keeps what has none. */
export interface Recording {
  answerTo(body: MessagesBody): string | null;
  open(): OpenRequest[];
  /** Requests that were answered, by key. */
  used(): ReadonlySet<string>;
}

export function createRecording(answers: readonly RecordedAnswer[]): Recording {
  const byKey = new Map(answers.map((answer) => [answer.key, answer]));
  const open = new Map<string, OpenRequest>();
  const used = new Set<string>();
  return {
    answerTo(body) {
      const request = canonicalOf(body);
      const answer = byKey.get(request.key);
      if (answer === undefined) {
        open.set(request.key, openOf(request, body));
        return null;
      }
      used.add(request.key);
      const here = new Map([...request.numbers].map(([number, canonical]) => [canonical, number]));
      return renumberAnswer(answer.text, (number) => here.get(answer.numbers[number - 1] ?? number));
    },
    open: () => [...open.values()],
    used: () => used,
  };
}

/** A request of the core as the body by which answers are recorded. */
export const recordedBodyOf = (request: CompletionRequest): MessagesBody => ({
  model: 'recorded',
  max_tokens: request.maxTokens ?? 0,
  ...(request.system === undefined ? {} : { system: request.system }),
  messages: request.messages,
  ...(request.schema === undefined ? {} : { output_config: request.schema }),
});

const numbersOf = ({ numbers }: CanonicalRequest): number[] =>
  [...numbers].sort(([one], [other]) => one - other).map(([, canonical]) => canonical);

function openOf(request: CanonicalRequest, body: MessagesBody): OpenRequest {
  const { key, prompt } = request;
  const system =
    typeof body.system === 'string' ? body.system : (body.system ?? []).map(({ text }) => text).join('');
  const user = body.messages.map(({ content }) => content).join('\n');
  return { key, prompt, numbers: numbersOf(request), maxTokens: body.max_tokens, system, user };
}
