import type { CompletionRequest, LLMProvider } from '@slowwave/fusion';

export interface InsightModel {
  provider: LLMProvider;
  requests: CompletionRequest[];
}

/** A model that answers with what it is given, in turn, the last one again and again; a function may do something meanwhile. */
export function createInsightModel(
  ...answers: (string | object | (() => Promise<string | object>))[]
): InsightModel {
  const requests: CompletionRequest[] = [];
  return {
    requests,
    provider: {
      name: 'insights',
      model: 'insights-1',
      isAvailable: () => true,
      async complete(request) {
        const given = answers[Math.min(requests.length, answers.length - 1)]!;
        requests.push(request);
        const answer = typeof given === 'function' ? await given() : given;
        const isCut = answer === 'CUT';
        return {
          content: [{ type: 'text', text: typeof answer === 'string' ? answer : JSON.stringify(answer) }],
          stopReason: isCut ? 'max_tokens' : 'end_turn',
          usage: { inputTokens: 100, outputTokens: 50 },
          model: 'insights-1',
        };
      },
    },
  };
}
