export { Counter, createRegistry, Gauge, Histogram, Registry } from './metrics.ts';
export type { ReadableSpan, SpanExporter, TracedService, Tracing } from './tracing.ts';

/** Loads the modules of OpenTelemetry, a tenth of what a starting process loads: only a process that traces needs them. */
export const loadTracing = () => import('./tracing.ts');
