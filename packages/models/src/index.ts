export * from './anthropic.ts';
export * from './anthropic-batches.ts';
export * from './batches.ts';
export * from './cost.ts';
export { parseRetryAfter } from './errors.ts';
export * from './extract.ts';
export {
  type LocalDtype,
  type LocalModel,
  missingModelFiles,
  pathOfFile,
} from './local/model-files.ts';
export * from './local/pull.ts';
export { type LocalShortage, localShortages } from './local/shortages.ts';
export { findTransformers, installCommand, packagePlaces } from './local/transformers.ts';
export * from './local-embedder.ts';
export * from './meter.ts';
export * from './models.ts';
export * from './offline.ts';
export * from './offline-embedder.ts';
export * from './openai.ts';
export * from './openai-embedder.ts';
export * from './prices/index.ts';
export { canonicalOf, type MessagesBody, renumberAnswer } from './recorded/canonical.ts';
export * from './recorded/recording.ts';
export * from './recorded/replay.ts';
