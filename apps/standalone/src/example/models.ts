import { readFile } from 'node:fs/promises';
import { estimateTokens } from '@slowwave/fusion';
import { createReplayProvider, dollarsOf, type Models, parseAnswers, type Recording } from '@slowwave/models';
import type { StatementsSettings } from '@slowwave/worker';

/** Recorded answers of a large language model to the requests of the example people's days. */
export const EXAMPLE_ANSWERS = new URL('../../../../examples/answers.jsonl', import.meta.url);

/** The secret is fixed, so that the judge's requests are the same in every run and recorded votes fit them. */
export const EXAMPLE_STATEMENTS: StatementsSettings = { judge: true, judgeSecret: 'demonstration' };

/** The model at whose price the answers are reckoned. */
const PRICED_MODEL = 'claude-sonnet-5-5';

export const readExampleAnswers = async () => parseAnswers(await readFile(EXAMPLE_ANSWERS, 'utf8'));

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

/** A recording that reckons what its answers would have cost. */
export function priced(
  recording: Pick<Recording, 'answerTo'>,
): Pick<Recording, 'answerTo'> & { cost(): string } {
  let [inputTokens, outputTokens] = [0, 0];
  return {
    answerTo(body) {
      const text = recording.answerTo(body);
      if (text !== null) {
        inputTokens += estimateTokens(JSON.stringify([body.system, body.messages]));
        outputTokens += estimateTokens(text);
      }
      return text;
    },
    cost() {
      const dollars = dollarsOf({}, { model: PRICED_MODEL, inputTokens, outputTokens }) ?? 0;
      return `about $${dollars.toFixed(2)} from ${PRICED_MODEL}`;
    },
  };
}
