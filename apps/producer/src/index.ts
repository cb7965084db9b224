export type { TickSummary } from './fill.ts';
export { createProducer, type Producer, type ProducerConfig, type ProducerOptions } from './producer.ts';
export { EXIT, type ServeOptions, serve } from './serve.ts';
