export * from './anthropic.ts';
export * from './cost.ts';
export { parseRetryAfter } from './errors.ts';
export * from './extract.ts';
export * from './models.ts';
export * from './offline.ts';
export * from './offline-embedder.ts';
export * from './openai.ts';
export * from './openai-embedder.ts';
