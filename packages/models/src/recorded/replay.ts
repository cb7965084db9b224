import { type CompletionRequest, estimateTokens, type LLMProvider } from '@slowwave/fusion';
import { type Recording, recordedBodyOf } from './recording.ts';

/**
 * Replays what a language model once wrote, and leaves to another provider what nobody has put to it. Nothing is spent.
 * @param model under which answers are kept; another recording should have another name
 * @param fallback asked where there is no recorded answer
 */
export function createReplayProvider(
  recording: Pick<Recording, 'answerTo'>,
  { model, fallback }: { model: string; fallback: LLMProvider },
): LLMProvider {
  return {
    name: 'recorded',
    model,
    isAvailable: () => true,
    async complete(request: CompletionRequest) {
      const text = recording.answerTo(recordedBodyOf(request));
      if (text === null) return { ...(await fallback.complete(request)), model };
      const isCut = request.maxTokens !== undefined && estimateTokens(text) > request.maxTokens;
      return {
        content: [{ type: 'text', text }],
        stopReason: isCut ? 'max_tokens' : 'end_turn',
        usage: { inputTokens: 0, outputTokens: 0 },
        model,
      };
    },
  };
}
