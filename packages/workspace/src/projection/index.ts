export { outsideEntries } from './entries.ts';
export type { LineDiff } from './line-diff.ts';
export {
  ENTRY_END,
  escapeLine,
  memoryLine,
  REGION_BEGIN,
  REGION_END,
  type RegionProblem,
  RegionRefused,
} from './markers.ts';
export type { MemoryCounts } from './memory-plan.ts';
export { createProjection, projectionIdOf } from './projection.ts';
export type { DreamsCounts, ProjectionReport, WriteRecord } from './records.ts';
export { outsideRegion, parseRegion, type Region, replaceRegion } from './region.ts';
export type {
  DocumentPreview,
  Projection,
  ProjectionOptions,
  ProjectionPreview,
  ProjectionResult,
  ProjectionRun,
  ProjectionStep,
  UndoOutcome,
} from './types.ts';
