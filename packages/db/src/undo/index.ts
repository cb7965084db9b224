export {
  CHANGE_SETS_PER_LIST_MAX,
  type ChangeSetFilter,
  type ChangeSetView,
  listChangeSets,
  pageChangeSets,
  type RowChange,
  readChangeSet,
} from './change-sets.ts';
export { askOldImages, dropImages } from './drop-images.ts';
export { type Dependent, UndoRefused, type UndoRefusedCode } from './errors.ts';
export type { Direction, UndoTarget } from './targets.ts';
export type { JournalledTable } from './touched.ts';
export { redo, type UndoInput, type UndoResult, undo } from './undo.ts';
