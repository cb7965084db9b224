import type { CompletionRequest, LLMProvider } from '@slowwave/fusion';
import { createJoiningProvider } from './joining-provider.ts';

/** A model that answers well and keeps the vendor's own count of what it answered. */
export interface BilledModel {
  provider: LLMProvider;
  billed: { calls: number; inputTokens: number; outputTokens: number };
  /** Told of every request before it is answered: throw to fail. */
  intercept: ((request: CompletionRequest) => void | Promise<void>) | null;
}

const tokens = (text: string): number => Math.ceil(text.length / 4);

/** @param model a name that has a price */
export function createBilledModel(model = 'claude-haiku-5-5'): BilledModel {
  const offline = createJoiningProvider();
  const billed = { calls: 0, inputTokens: 0, outputTokens: 0 };
  const made: BilledModel = {
    billed,
    intercept: null,
    provider: {
      name: 'billed',
      model,
      isAvailable: () => true,
      async complete(request) {
        await made.intercept?.(request);
        const answer = await offline.complete(request);
        const asked = (request.system ?? '') + request.messages.map(({ content }) => content).join('\n');
        const text = answer.content.map((block) => block.text).join('');
        const usage = { inputTokens: tokens(asked), outputTokens: tokens(text) };
        billed.calls += 1;
        billed.inputTokens += usage.inputTokens;
        billed.outputTokens += usage.outputTokens;
        return { ...answer, model, usage };
      },
    },
  };
  return made;
}
