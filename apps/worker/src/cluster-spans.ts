import { type Context, context, type Span, trace } from '@opentelemetry/api';
import type { BoundStore } from '@slowwave/db';
import type { FusionEvent, LLMProvider } from '@slowwave/fusion';
import { countAttributes, inSpan, markFailed, tracer } from './spans.ts';

/** The spans of the clusters of one step, one after the other: the call of the model, the gate and the commit inside each. */
export interface ClusterSpans {
  store(inner: BoundStore): BoundStore;
  provider(inner: LLMProvider): LLMProvider;
  event(event: FusionEvent): void;
}

export function openClusterSpans(): ClusterSpans {
  const step = context.active();
  let span: Span | null = null;
  let inside: Context = step;

  function begin(members: number): void {
    span = tracer().startSpan('cluster', { attributes: { 'slowwave.members': members } }, step);
    inside = trace.setSpan(step, span);
  }

  function end(event: Extract<FusionEvent, { type: 'cluster_ended' }>): void {
    const { outcome } = event;
    const { status, key, usage } = outcome;
    span?.setAttributes({
      'slowwave.outcome': status,
      ...(key === null ? {} : { 'slowwave.fusion_key': key }),
      ...countAttributes({ usage }),
      ...(status === 'committed' ? { 'slowwave.superseded': outcome.superseded } : {}),
    });
    if (span && status === 'failed') markFailed(span, outcome.code);
    span?.end();
    span = null;
    inside = step;
  }

  /** The gate is pure and knows no spans: how long it took, and waited for its judge, is told when it is over. */
  function gate({ code, durationMs, judgeMs }: Extract<FusionEvent, { type: 'judged' }>): void {
    const endTime = Date.now();
    const startTime = endTime - durationMs - judgeMs;
    const verdict = code === null ? 'passed' : 'refused';
    const attributes = { 'slowwave.verdict': verdict, ...(code === null ? {} : { 'slowwave.code': code }) };
    tracer().startSpan('gate', { startTime, attributes }, inside).end(endTime);
  }

  return {
    store: (inner) => ({
      ...inner,
      commitStatements: (...given) =>
        inSpan(
          'commit',
          {},
          async (commit) => {
            const result = await inner.commitStatements(...given);
            commit.setAttribute('slowwave.outcome', result.status);
            if (result.status === 'applied') commit.setAttribute('slowwave.superseded', result.superseded);
            return result;
          },
          inside,
        ),
    }),
    provider: (inner) => ({
      ...inner,
      isAvailable: () => inner.isAvailable(),
      complete: (request) => context.with(inside, () => inner.complete(request)),
    }),
    event(event) {
      if (event.type === 'cluster_started') begin(event.members);
      if (event.type === 'judged') gate(event);
      if (event.type === 'cluster_ended') end(event);
    },
  };
}
