import {
  type CompletionRequest,
  type Embedder,
  type LLMProvider,
  ModelError,
  type Tier,
} from '@slowwave/fusion';
import { type Step, TIER_STEPS } from '@slowwave/worker';
import { answerStatements, asksForStatements, type StatementScript } from '../../fakes/statement-model.ts';
import { groupsOf, statementOf } from './answers.ts';
import { failure, STEP_NAMES } from './jobs.ts';
import type { Manner, Trouble } from './state.ts';

/** The product's own steps of each tier, behind one that fails when told so. */
export function stepsOf(told: { trouble: Trouble }): Record<Tier, readonly Step[]> {
  const trouble: Step = {
    name: 'trouble',
    async run() {
      if (told.trouble === 'fault') throw failure('trouble_fault', false);
      if (told.trouble === 'outage') throw failure('trouble_outage', true);
      return { status: 'done', counts: {} };
    },
  };
  const pick = (tier: Tier): Step[] =>
    STEP_NAMES[tier].map((name) => {
      const found =
        name === 'trouble'
          ? trouble
          : TIER_STEPS[tier === 'sleep' && name === 'health' ? 'light' : tier].find(
              (step) => step.name === name,
            );
      if (!found) throw new Error(`no step ${name} in ${tier}`);
      return found;
    });
  return { light: pick('light'), deep: pick('deep'), sleep: pick('sleep') };
}

/** One model in the manner of the moment. */
export function providerOf(told: { manner: Manner; calls: number }): LLMProvider {
  const model = 'moody';
  return {
    name: model,
    model,
    isAvailable: () => true,
    async complete(request) {
      told.calls += 1;
      const { manner } = told;
      if (manner === 'overloaded') throw new ModelError('overloaded', { retryable: true });
      if (manner === 'limited')
        throw new ModelError('rate_limited', { retryable: true, retryAfterMs: 1_000 });
      return {
        content: [{ type: 'text', text: JSON.stringify(answerTo(request, manner)) }],
        stopReason: manner === 'refusing' ? 'refusal' : 'end_turn',
        usage: { inputTokens: 10, outputTokens: 10 },
        model,
      };
    },
  };
}

function answerTo({ system, messages }: CompletionRequest, manner: Manner): unknown {
  if (!asksForStatements(system)) throw new Error('nothing but statements is asked for here');
  const write: StatementScript['write'] = (notes) => ({
    statements: groupsOf(notes, manner).map((group) => ({
      sources: group.map(({ n }) => n),
      text: statementOf(
        group.map(({ text }) => text),
        manner,
      ),
    })),
    conflicts: [],
  });
  return answerStatements(messages.map(({ content }) => content).join('\n'), { write }).answer();
}

const DIMENSIONS = 384;
/** No two texts are alike under it: what belongs together is only what people linked. */
export const APART: Embedder = {
  name: 'apart',
  model: 'apart-384',
  dimensions: DIMENSIONS,
  threshold: 0.75,
  embed: async (texts) => texts.map(vectorOf),
};

function vectorOf(text: string): Float32Array {
  let state = 2_166_136_261;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  const raw = Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  const length = Math.hypot(...raw);
  return Float32Array.from(raw, (value) => value / length);
}
