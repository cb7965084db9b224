import { type CompletionRequest, type LLMProvider, readLabelRequest, readRemRequest } from '@slowwave/fusion';
import { INVENTED, tokensIn } from '../fixtures/facts/sentences.ts';
import { honestJudge, tellFacts } from './fact-model.ts';
import { tellLie, tellTruth } from './lying-writer.ts';
import {
  answerStatements,
  asksForStatements,
  type ShownNote,
  type StatementScript,
} from './statement-model.ts';

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
  'spreading',
  'reversing',
  'borrowing',
  'disputed',
  'garbled',
  'failing',
] as const;
export type Manner = (typeof MANNERS)[number];

/** A model that writes statements, judges, labels and connects in a manner; the same request gives the same answer. Each manner is a model of its own. */
export function createUnsteadyModel(manner: Manner): LLMProvider {
  const model = `unsteady-${manner}`;
  return {
    name: 'unsteady',
    model,
    isAvailable: () => true,
    async complete(request) {
      if (manner === 'failing') throw new Error('no answer');
      const answer =
        manner === 'garbled' ? 'Certainly! {"statements": ' : JSON.stringify(answerTo(request, manner));
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
  if (!asksForStatements(request.system)) return {};
  const content = request.messages.map((message) => message.content).join('\n');
  const script: StatementScript = {
    write: (notes, isRepair) => (isRepair ? { statements: [], conflicts: [] } : written(notes, manner)),
    judge: honestJudge,
  };
  return answerStatements(content, script).answer();
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

/** Statements about all notes, wrong in one way. Their judge is honest whatever the writer does. */
function written(notes: readonly ShownNote[], manner: Manner): Record<string, unknown> {
  const good = tellFacts(notes);
  const said = (change: (text: string) => string) => ({
    statements: good.map(({ sources, text }) => ({ sources, text: change(text) })),
    conflicts: [],
  });
  switch (manner) {
    case 'sparing':
      return { statements: tellFacts(notes.slice(0, -1)), conflicts: [] };
    case 'forgetful':
      return said((text) => text.replace(` ${tokensIn(text).at(-1)}`, ''));
    case 'inventive':
      return said((text) => text.replace(tokensIn(text)[0] ?? '', INVENTED));
    case 'swapping':
      return said((text) => exchange(text, tokensIn(text)[0], tokensIn(text)[1]));
    case 'misplacing':
      return said((text) => {
        const places = [...text.matchAll(/(?<=\bin )\w+/gi)].map(([place]) => place);
        return exchange(text, places[0], places[1]);
      });
    case 'denying':
      return said((text) => text.replace(' in ', ' not in '));
    case 'spreading':
    case 'reversing':
    case 'borrowing':
    case 'disputed': {
      // Too few notes for this lie: the truth, then.
      const { statements, conflicts } = tellLie(notes, manner) ?? tellTruth(notes);
      return { statements, conflicts };
    }
    case 'quarrelsome':
      return { ...said((text) => text), conflicts: [{ a: 1, b: 2, kind: 'contradictory', slot: 'token' }] };
    default:
      return said((text) => text);
  }
}

/** Each in the other's place. */
function exchange(text: string, one: string | undefined, other: string | undefined): string {
  if (one === undefined || other === undefined) return text;
  return text.replace(/\w+/g, (word) => (word === one ? other : word === other ? one : word));
}
