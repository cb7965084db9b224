export { CONFLICT_STATUSES } from '../schema/conflicts.ts';
export { CONFLICT_POLICIES } from '../schema/users.ts';
export type { ConflictSettler, ConflictSource, ConflictStatus, StoredPair } from './columns.ts';
export { ConflictRefused, type ConflictRefusedCode } from './errors.ts';
export { askConflicts, settleGone } from './gone.ts';
export {
  CONFLICT_LIST_MAX,
  type ConflictSideView,
  type ConflictView,
  countConflicts,
  getConflict,
  listConflicts,
  pageConflicts,
} from './inbox.ts';
export { type LabelledPair, listCandidatePairs, type StoredLabels, storeLabels } from './label.ts';
export { applyPolicy, type ConflictPolicy, getConflictPolicy, setConflictPolicy } from './policy.ts';
export { REPORTED_PAIRS_MAX, reportConflicts } from './report.ts';
export {
  CONFLICT_CHOICES,
  type ConflictChoice,
  RESOLUTION_CHARS_MAX,
  type ResolvedConflict,
  type ResolveInput,
  resolveConflict,
  resolveConflictIn,
} from './resolve.ts';
export { type ConflictStore, createConflictStore } from './store.ts';
