export { type ImportBatch, importBatches } from './batches.ts';
export { FIRST_SAID, type IsoDate, parseIsoDate } from './dates.ts';
export { ImportError, type ImportErrorCode } from './errors.ts';
export { formatOf, type ImportFormat } from './format.ts';
export type { GivenMemory, GivenRules } from './given.ts';
export { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './limits.ts';
export { loadImport } from './load-import.ts';
export type { LineDefaults } from './memory-line.ts';
export { type ImportedLine, type ImportOptions, parseImport } from './parse.ts';
export type { LineReason, Problem, ProblemCode } from './problems.ts';
export {
  externalIdOf,
  type ImportRecord,
  type ImportRelation,
  lineOf,
  type MemoryRecord,
  type QuestionRecord,
  type UserRecord,
} from './record.ts';
export type { ImportSummary, LineProblem, LoadOptions, RestoredFolder } from './summary.ts';
export { isTimeZone } from './user-line.ts';
export { GIVEN_MEMORIES_MAX, type GivenOutcome, type GivenResult, writeGiven } from './write-given.ts';
