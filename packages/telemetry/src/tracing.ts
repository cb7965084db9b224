import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';

export { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-node';

/** Who makes the spans. */
export interface TracedService {
  /** As in "slowwave-worker". */
  service: string;
  version: string;
}

/** The collecting of spans in this process. */
export interface Tracing {
  /** Sends what is there and stops, within the time. Never throws: a collector that is away must not keep a process from ending. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Collects the spans of this process from now on and sends them to an OpenTelemetry collector over HTTP, in batches. Once per process.
 * How many traces are taken is set by OpenTelemetry's own OTEL_TRACES_SAMPLER.
 * @param options.url the whole address, such as http://localhost:4318/v1/traces
 */
export function startTracing(options: TracedService & { url: string }): Tracing {
  return collect(options, new BatchSpanProcessor(new OTLPTraceExporter({ url: options.url })));
}

/** As startTracing, but hands each span on as soon as it has ended. */
export function startTracingTo(options: TracedService & { exporter: SpanExporter }): Tracing {
  return collect(options, new SimpleSpanProcessor(options.exporter));
}

function collect({ service, version }: TracedService, processor: SpanProcessor): Tracing {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [processor],
  });
  provider.register();
  return {
    async stop(graceMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      const ended = provider.shutdown().catch(() => {});
      await Promise.race([ended, late]).finally(() => clearTimeout(timer));
    },
  };
}
