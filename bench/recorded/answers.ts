import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { type OpenRequest, parseLines, type RecordedAnswer } from '@slowwave/models';

const NEWLINE = '\n';

async function readLines<Line>(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  try {
    return parseLines<Line>(text);
  } catch (error) {
    throw new Error(`${file}, ${(error as Error).message}`);
  }
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
 * @returns how many were added, and the keys that no open request has; those that are recorded already are passed over
 */
export async function addAnswers(options: {
  requests: string;
  written: string;
  answers: string;
  by: string;
}): Promise<{ added: number; unknown: string[] }> {
  const open = new Map(
    (await readLines<OpenRequest>(options.requests)).map((request) => [request.key, request]),
  );
  const known = new Set((await readAnswers([options.answers])).map(({ key }) => key));
  let added = 0;
  const unknown: string[] = [];
  for (const { key, text } of await readLines<{ key: string; text: string }>(options.written)) {
    const request = open.get(key);
    if (known.has(key)) continue;
    if (!request || typeof text !== 'string') {
      unknown.push(key);
      continue;
    }
    known.add(key);
    const { prompt, numbers } = request;
    const line: RecordedAnswer = { key, prompt, by: options.by, numbers, text };
    await appendFile(options.answers, `${JSON.stringify(line)}${NEWLINE}`);
    added += 1;
  }
  return { added, unknown };
}

/** Deletes the recorded answers that no request of a run used. @returns how many */
export async function pruneAnswers(file: string | URL, used: ReadonlySet<string>): Promise<number> {
  const lines = (await readFile(file, 'utf8')).split(NEWLINE).filter((line) => line.trim() !== '');
  const kept = lines.filter((line) => used.has((JSON.parse(line) as RecordedAnswer).key));
  await writeFile(file, kept.map((line) => line + NEWLINE).join(''));
  return lines.length - kept.length;
}
