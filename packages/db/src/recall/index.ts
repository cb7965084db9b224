export { RecallError, type RecallErrorCode } from './errors.ts';
export type { RecallFilter } from './filter.ts';
export {
  QUERY_MAX_CHARS,
  RECALL_CHARS_MAX,
  RECALL_LIMIT_DEFAULT,
  RECALL_LIMIT_MAX,
  type RecallInput,
  type RecallResult,
  recall,
} from './recall.ts';
export type { FoundMemory } from './search.ts';
