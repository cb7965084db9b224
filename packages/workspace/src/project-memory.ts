export { ensureMemoryFile, ensureMemoryFileWithBackend } from './project/bootstrap.ts';
export { type MemoryInstructionContext, resolveMemoryInstructionContext } from './project/context.ts';
export {
  buildExecutionMemoryInstructions,
  buildReviewerMemoryInstructions,
  buildTriageMemoryInstructions,
} from './project/instructions.ts';
export {
  getProjectMemory,
  readProjectMemory,
  readProjectMemoryWithBackend,
  searchProjectMemory,
} from './project/reading.ts';
export type { MemoryInclusionMode, RecallHit } from './project/recalled.ts';
export { getDefaultMemoryScaffold } from './project/scaffold.ts';
