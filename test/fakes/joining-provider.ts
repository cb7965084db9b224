import type { LLMProvider } from '@slowwave/fusion';
import { createOfflineProvider } from '@slowwave/models';
import { answerStatements, asksForStatements, joinNotes, type StatementScript } from './statement-model.ts';

/**
 * A language model in this process: it joins notes into statements, finds nothing wrong with any when it is their judge, and answers the other
 * steps as the offline provider does.
 */
export function createJoiningProvider(script: StatementScript = { write: joinNotes }): LLMProvider {
  const offline = createOfflineProvider();
  return {
    ...offline,
    async complete(request) {
      if (request.signal?.aborted || !asksForStatements(request.system)) return offline.complete(request);
      const content = request.messages.map((message) => message.content).join('\n');
      const answer = answerStatements(content, script).answer();
      return {
        content: [{ type: 'text', text: typeof answer === 'string' ? answer : JSON.stringify(answer) }],
        stopReason: 'end_turn',
        usage: { inputTokens: 0, outputTokens: 0 },
        model: offline.model,
      };
    },
  };
}
