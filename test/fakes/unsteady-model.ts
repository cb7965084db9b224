import {
  type CompletionRequest,
  type LLMProvider,
  readFusionRequest,
  readLabelRequest,
  readRemRequest,
} from '@slowwave/fusion';
import { INVENTED, tokensIn } from '../fixtures/facts/sentences.ts';

/** How a model answers: well, or wrong in one way. */
export const MANNERS = [
  'good',
  'sparing',
  'forgetful',
  'inventive',
  'swapping',
  'misplacing',
  'denying',
  'quarrelsome',
  'garbled',
  'failing',
] as const;
export type Manner = (typeof MANNERS)[number];

/** A model that fuses, labels and connects in a manner; the same request gives the same answer. Each manner is a model of its own. */
export function createUnsteadyModel(manner: Manner): LLMProvider {
  const model = `unsteady-${manner}`;
  return {
    name: 'unsteady',
    model,
    isAvailable: () => true,
    async complete(request) {
      if (manner === 'failing') throw new Error('no answer');
      const answer =
        manner === 'garbled' ? 'Certainly! {"summary": ' : JSON.stringify(answerTo(request, manner));
      return {
        content: [{ type: 'text', text: answer }],
        stopReason: 'end_turn',
        usage: { inputTokens: 10, outputTokens: 10 },
        model,
      };
    },
  };
}

function answerTo(request: CompletionRequest, manner: Manner): unknown {
  const pairs = readLabelRequest(request);
  if (pairs) return { pairs: pairs.map(({ n }) => labelOf(n, manner)) };
  const rem = readRemRequest(request);
  if (rem) {
    const seed = tokensIn(rem.seed.text).join(' and ');
    return {
      verdicts: rem.candidates.map(({ text }, i) => ({
        n: i + 1,
        novelty: 4,
        plausibility: 4,
        usefulness: 4,
        // Words of the memories in a place of their own, for forgetting to find.
        explanation: `Both belong together, ${seed} with ${tokensIn(text).join(' and ')}.`,
      })),
    };
  }
  const sources = readFusionRequest(request);
  return sources
    ? fused(
        sources.map(({ text }) => text),
        manner,
      )
    : {};
}

/** A liar calls two that differ the same; everybody else sees a contradiction. */
function labelOf(n: number, manner: Manner): Record<string, unknown> {
  const type = manner === 'forgetful' ? 'subsumes' : manner === 'sparing' ? 'compatible' : 'contradictory';
  return {
    n,
    type,
    wider: type === 'subsumes' ? 'a' : 'none',
    slot: 'token of the thing',
    description: 'The two have different tokens.',
    confidence: 0.9,
  };
}

/** All sources in their own words, shorter than they are by their articles. */
function fused(texts: string[], manner: Manner): Record<string, unknown> {
  const everything = texts.map((_, i) => i + 1);
  const whole = texts.join(' ').replace(/\b[Aa] /g, '');
  const said = (summary: string, covered = everything, conflicts: unknown[] = []) => ({
    summary,
    covered,
    conflicts,
    importance: 5,
    category: 'fact',
  });
  const tokens = tokensIn(whole);
  switch (manner) {
    case 'sparing':
      return said(whole, everything.slice(0, -1));
    case 'forgetful':
      return said(whole.replace(` ${tokens.at(-1)}`, ''));
    case 'inventive':
      return said(whole.replace(tokens[0] ?? '', INVENTED));
    case 'swapping':
      return said(exchange(whole, tokens[0], tokens[1]));
    case 'misplacing': {
      const places = [...whole.matchAll(/(?<=\bin the )\w+/gi)].map(([place]) => place);
      return said(exchange(whole, places[0], places[1]));
    }
    case 'denying':
      return said(whole.replace(' stands in', ' stands not in'));
    case 'quarrelsome':
      return said(whole, everything, [{ a: 1, b: 2, kind: 'contradictory', slot: 'token' }]);
    default:
      return said(whole);
  }
}

/** Each in the other's place. */
function exchange(text: string, one: string | undefined, other: string | undefined): string {
  if (one === undefined || other === undefined) return text;
  return text.replace(/\w+/g, (word) => (word === one ? other : word === other ? one : word));
}
