import { appendFile, readFile, writeFile } from 'node:fs/promises';
import type { OpenRequest, RecordedAnswer } from '@slowwave/models';

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
