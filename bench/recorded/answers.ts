import { appendFile, readFile, writeFile } from 'node:fs/promises';
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

/** A request that has no answer yet: `system` and `user` are the exact texts to put to a model. */
export interface OpenRequest {
  key: string;
  prompt: string;
  numbers: number[];
  maxTokens: number;
  system: string;
  user: string;
}

const NEWLINE = '\n';

async function readLines<Line>(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split(NEWLINE)
    .filter((line) => line.trim() !== '')
    .map((line, at) => {
      try {
        return JSON.parse(line) as Line;
      } catch {
        throw new Error(`${file}, line ${at + 1}: no JSON`);
      }
    });
}

export const readAnswers = async (files: readonly string[]): Promise<RecordedAnswer[]> =>
  (await Promise.all(files.map((file) => readLines<RecordedAnswer>(file)))).flat();

const numbersOf = ({ numbers }: CanonicalRequest): number[] =>
  [...numbers].sort(([one], [other]) => one - other).map(([, canonical]) => canonical);

/** What stands open, in one file that replaces the one of the run before. */
export async function writeOpenRequests(file: string, requests: readonly OpenRequest[]): Promise<void> {
  await writeFile(file, requests.map((request) => `${JSON.stringify(request)}${NEWLINE}`).join(''));
}

/**
 * Adds what a model wrote to a file of recorded answers.
 * @param written lines of `{"key": …, "text": …}`, each with the key of an open request
 * @returns how many were added; those that are recorded already are passed over
 * @throws Error for an answer to a request that is not open
 */
export async function addAnswers(options: {
  requests: string;
  written: string;
  answers: string;
  by: string;
}): Promise<number> {
  const open = new Map(
    (await readLines<OpenRequest>(options.requests)).map((request) => [request.key, request]),
  );
  const known = new Set((await readAnswers([options.answers])).map(({ key }) => key));
  let added = 0;
  for (const { key, text } of await readLines<{ key: string; text: string }>(options.written)) {
    const request = open.get(key);
    if (!request || typeof text !== 'string') throw new Error(`${options.written}: no open request ${key}`);
    if (known.has(key)) continue;
    known.add(key);
    const { prompt, numbers } = request;
    const line: RecordedAnswer = { key, prompt, by: options.by, numbers, text };
    await appendFile(options.answers, `${JSON.stringify(line)}${NEWLINE}`);
    added += 1;
  }
  return added;
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

function openOf(request: CanonicalRequest, body: MessagesBody): OpenRequest {
  const { key, prompt } = request;
  const system =
    typeof body.system === 'string' ? body.system : (body.system ?? []).map(({ text }) => text).join('');
  const user = body.messages.map(({ content }) => content).join(NEWLINE);
  return { key, prompt, numbers: numbersOf(request), maxTokens: body.max_tokens, system, user };
}
