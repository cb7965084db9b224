import type { DecaySample } from '@slowwave/db';
import { CROSSING_THRESHOLDS, crossingTime, prominenceAt } from '@slowwave/fusion';
import { idsOf, type Step } from '../context.ts';
import { BANDS, CROSSINGS, DECAY_SAMPLE } from '../questions.ts';

const MAX_RELATIVE_ERROR = 1e-9;
/** Below this, prominence is nothing; the two formulas may differ in how small. */
const NOTHING = 1e-100;
const MAX_CROSSING_ERROR_MS = 1_000;

/** What crossed a band since the tier's last success. Time passing writes nothing: this only reads. */
export const incrementalDecay: Step = {
  name: 'decay',
  asks: [CROSSINGS],
  async run({ look }) {
    const { nextAt, ...crossed } = await look.seen(CROSSINGS);
    return { status: 'done', counts: { ...crossed, nextCrossingAt: nextAt } };
  },
};

/** Where all memories of the user stand now, and whether the database and the closed form agree about a sample of them. */
export const fullDecay: Step = {
  name: 'decay',
  asks: [BANDS, DECAY_SAMPLE],
  async run(context) {
    const { look, at } = context;
    const [bands, sample] = [await look.seen(BANDS), await look.seen(DECAY_SAMPLE)];
    const deviating = sample.filter((memory) => deviates(memory, at)).map((memory) => memory.id);
    if (deviating.length === 0) return { status: 'done', counts: { ...bands, sampled: sample.length } };
    // Nobody's memories are at fault: the two formulas, or what is stored, are.
    context.logger.error({ ...idsOf(context), sampled: sample.length, deviating }, 'decay formulas differ');
    return { status: 'failed', code: 'decay_mismatch' };
  },
};

/** Whether the database makes something else of a memory than the closed form does. */
export function deviates(memory: DecaySample, at: number): boolean {
  const expected = prominenceAt(memory, at);
  const error = Math.abs(memory.prominence - expected);
  // Also true for what is no number.
  if (!(error <= MAX_RELATIVE_ERROR * Math.max(expected, NOTHING))) return true;
  return CROSSING_THRESHOLDS.some((threshold, i) => {
    const [solved, stored] = [crossingTime(memory, threshold), memory.crossings[i] ?? null];
    if (solved === null || stored === null || !Number.isFinite(solved)) return solved !== stored;
    return !(Math.abs(solved - stored) <= MAX_CROSSING_ERROR_MS);
  });
}
