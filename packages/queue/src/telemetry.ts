import { type Context, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api';
import type { Attributes, AttributeValue, Exception, Span, SpanOptions, Telemetry } from 'bullmq';
import { type BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';
import { errorLabel } from './safe-error.ts';

/** What may be said of a job in a trace: which queue and what was done, ids of jobs (hashes or numbers), and counts. */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  'bullmq.queue.name',
  'bullmq.queue.operation',
  'bullmq.job.id',
  'bullmq.job.name',
  'bullmq.job.bulk.count',
  'bullmq.job.attempts.made',
  'bullmq.job.processed.timestamp',
  'bullmq.job.attempt_finished_timestamp',
]);

/** What people look for in a trace. All else that BullMQ does (renewing locks, looking for stalled jobs) goes on every few seconds. */
const SHOWN = /^(?:add|addBulk|process) /;
/** The next beat of a scheduler is no work of the beat that made it. */
const BEAT = /^add ticks\./;
/** BullMQ's ways to say that a job was put back: nothing has failed. */
const NOT_FAILED: ReadonlySet<string> = new Set([
  'DelayedError',
  'WaitingError',
  'WaitingChildrenError',
  'RateLimitError',
]);

/**
 * Spans of the queues, from adding a job to its end, in one trace with whoever added it. Options and results of jobs, reasons of failures
 * and texts of errors stay out: they name users.
 */
export function createQueueTelemetry(): Telemetry<Context> {
  const otel = new BullMQOtel({ tracerName: 'slowwave-queue' });
  return {
    contextManager: {
      with: (context: Context, work) => otel.contextManager.with(context, work),
      active: () => otel.contextManager.active(),
      // Loops that never end begin a trace of their own each time.
      root: () => ROOT_CONTEXT,
      getMetadata: (context: Context) => otel.contextManager.getMetadata(context),
      fromMetadata: (context: Context, metadata) => otel.contextManager.fromMetadata(context, metadata),
    },
    tracer: {
      startSpan(name: string, options?: SpanOptions, parent?: Context): Span<Context> {
        if (!SHOWN.test(name) || BEAT.test(name)) return SILENT;
        // A worker takes one job after the other in the same thread: the one before is not the parent of the next.
        const from = parent ?? (name.startsWith('process ') ? ROOT_CONTEXT : undefined);
        return discreet(otel.tracer.startSpan(name, options, from) as BullMQOTelSpan);
      },
    },
  };
}

/** A span of which nothing is kept; what happens inside it belongs to the span around it. */
const SILENT: Span<Context> = {
  setSpanOnContext: (context) => context,
  setAttribute() {},
  setAttributes() {},
  addEvent() {},
  recordException() {},
  end() {},
};

function discreet(inner: BullMQOTelSpan): Span<Context> {
  const fail = (code: string): void => {
    inner.span.setAttribute('error.type', code);
    inner.span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  };
  const setAttribute = (name: string, value: AttributeValue | undefined): void => {
    if (value !== undefined && ATTRIBUTES.has(name)) inner.span.setAttribute(name, value);
  };
  return {
    setSpanOnContext: (context) => inner.setSpanOnContext(context),
    setAttribute,
    setAttributes(attributes: Attributes) {
      for (const [name, value] of Object.entries(attributes)) setAttribute(name, value);
    },
    // BullMQ's own events quote results and reasons; of a reason the code in front is taken.
    addEvent(name, attributes) {
      const reason = attributes?.['bullmq.job.failed.reason'];
      if (name === 'job failed') fail(/^[a-z][a-z0-9_]{1,63}/.exec(String(reason))?.[0] ?? 'internal_error');
    },
    recordException(exception: Exception) {
      if (typeof exception === 'object' && NOT_FAILED.has(exception.name ?? '')) return;
      fail(errorLabel(exception));
    },
    end: () => inner.end(),
  };
}
