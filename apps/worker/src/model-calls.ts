import { SpanKind } from '@opentelemetry/api';
import { type LLMProvider, ModelError, type TokenCounts } from '@slowwave/fusion';
import { inputTokensOf } from '@slowwave/models';
import type { UserJobDeps } from './context.ts';
import { inSpan } from './spans.ts';
import { wrapModels } from './step-models.ts';

/** One call of a language model that has ended. Words of closed lists, names of models, and numbers. */
export interface ModelCall {
  provider: string;
  /** As it was asked for. */
  model: string;
  /** `answered`, or the code of what went wrong at the model's border. */
  outcome: string;
  /** Without those that a cache was asked for. */
  inputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  outputTokens: number;
  /** Null: it came with a batch, where time says nothing. */
  durationMs: number | null;
  batch?: boolean;
}

type StepModels = Pick<UserJobDeps, 'provider' | 'providers'>;

/** All models as they are, each call told of when it has ended. */
export function watchModels(models: StepModels, tell: (call: ModelCall) => void): StepModels {
  return wrapModels(models, (inner) => watchProvider(inner, tell));
}

function watchProvider(inner: LLMProvider, tell: (call: ModelCall) => void): LLMProvider {
  const names = { provider: inner.name, model: inner.model ?? inner.name };
  return {
    ...inner,
    isAvailable: () => inner.isAvailable(),
    complete: (request) =>
      inSpan('model call', { kind: SpanKind.CLIENT, attributes: nameAttributes(names) }, async (span) => {
        const startedMs = performance.now();
        const end = (outcome: string, usage: TokenCounts = { inputTokens: 0, outputTokens: 0 }) => {
          const durationMs = performance.now() - startedMs;
          tell({ ...names, outcome, ...usage, durationMs });
          span.setAttributes({
            'slowwave.outcome': outcome,
            'gen_ai.usage.input_tokens': inputTokensOf(usage),
            'gen_ai.usage.output_tokens': usage.outputTokens,
          });
        };
        try {
          const response = await inner.complete(request);
          end('answered', response.usage);
          return response;
        } catch (error) {
          end(error instanceof ModelError ? error.code : 'unexpected_error');
          throw error;
        }
      }),
  };
}

const nameAttributes = ({ provider, model }: { provider: string; model: string }) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': provider,
  'gen_ai.request.model': model,
});
