export { Counter, createRegistry, Gauge, Histogram, Registry } from './metrics.ts';
export {
  InMemorySpanExporter,
  type ReadableSpan,
  type SpanExporter,
  startTracing,
  startTracingTo,
  type TracedService,
  type Tracing,
} from './tracing.ts';
