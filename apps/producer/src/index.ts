export { type FillDeps, fillTier, type TickSummary } from './fill.ts';
export { type ChangedMemory, changeMemory, type MemoryChange } from './memory-change.ts';
export { createProducer, type Producer, type ProducerConfig, type ProducerOptions } from './producer.ts';
export { EXIT, type ServeOptions, serve } from './serve.ts';
