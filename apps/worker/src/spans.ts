import {
  type Attributes,
  type Context,
  context,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { codeOf } from './errors.ts';

/**
 * Spans of a worker. They hold ids of runs, words of closed lists and counts: no user, no tenant, and no word of a memory, so an error
 * is known by its code alone. Where no traces are collected none of this costs anything worth mentioning.
 */
export const tracer = () => trace.getTracer('slowwave');

/** Runs work inside a span of its own, which ends with it. @param parent default: the span that is active */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  return tracer().startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

export function markFailed(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** Groups of counts whose names are our own. */
const COUNT_GROUPS = new Set(['usage', 'clusters', 'merges']);

/** The numbers and flags among the counts of a step; texts, lists and whatever is counted by a word stay out. */
export function countAttributes(counts: Readonly<Record<string, unknown>>, prefix = 'slowwave'): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(counts)) {
    const key = `${prefix}.${name}`;
    if (typeof value === 'number' || typeof value === 'boolean') attributes[key] = value;
    else if (COUNT_GROUPS.has(name) && typeof value === 'object' && value !== null) {
      Object.assign(attributes, countAttributes(value as Record<string, unknown>, key));
    }
  }
  return attributes;
}

/** The id of the trace that is under way, for log lines; undefined where none is collected. */
export function traceId(): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active && trace.isSpanContextValid(active) ? active.traceId : undefined;
}
