import { readFile } from 'node:fs/promises';
import { createReplayProvider, type Models, parseAnswers, type Recording } from '@slowwave/models';
import type { StatementsSettings } from '@slowwave/worker';

/** Recorded answers of a large language model to the requests of the example week. */
export const WEEK_ANSWERS = new URL('../../../../examples/answers.jsonl', import.meta.url);

/** The secret is fixed, so that the judge's requests are the same in every run and recorded votes fit them. */
export const WEEK_STATEMENTS: StatementsSettings = { judge: true, judgeSecret: 'demonstration' };

export const readWeekAnswers = async () => parseAnswers(await readFile(WEEK_ANSWERS, 'utf8'));

/** Models whose every step replays recorded answers; a request without one goes to the provider that was chosen. */
export function replayed(models: Models, recording: Pick<Recording, 'answerTo'>): Models {
  const { provider: fallback } = models;
  if (fallback === null) return models;
  return {
    ...models,
    provider: createReplayProvider(recording, { model: 'recorded', fallback }),
    providers: {},
  };
}
