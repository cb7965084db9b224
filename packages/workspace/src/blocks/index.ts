export { type ReadBlocksOptions, readBlocks } from './blocks.ts';
export { dayOfFile, endOfDay } from './day.ts';
export { type DetectedFormat, detectImport, HEAD_BYTES } from './foreign/detect.ts';
export { linesOf as foreignLines } from './foreign/lines.ts';
export { isOpenClawFolder, type OpenClawFile, openClawFile } from './foreign/openclaw.ts';
export { readForeign } from './foreign/read.ts';
export * from './foreign/types.ts';
export { hashOfBlock } from './hash.ts';
export { type BlockSource, contentOfBlock, memoryOfBlock } from './memory-of-block.ts';
export {
  createNotesImport,
  LOOKBACK_DAYS,
  type NotesImport,
  type NotesImportOptions,
  type NotesRun,
} from './notes-import.ts';
export type { NotesReport, NotesSkip } from './notes-report.ts';
export type { Block, BlockKind } from './types.ts';
