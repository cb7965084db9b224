export { countLatest, loadCandidates } from './candidates.ts';
export {
  askUncompared,
  CLOSE_LIMIT,
  COMMON_WORD,
  COMPARED_AT_ONCE,
  listUncompared,
  storeCloseness,
} from './closeness.ts';
export * from './crossings.ts';
export { requireDimensions } from './dimensions.ts';
export * from './embeddings.ts';
export * from './explain.ts';
export * from './faded.ts';
export { type FoundNeighbours, storeFoundNeighbours } from './found-neighbours.ts';
export * from './insert.ts';
export { NEIGHBOUR_FLOOR, NEIGHBOUR_LIMIT, storeNeighbours } from './neighbours.ts';
export { getMemory, type MemoryDetail } from './one.ts';
export {
  confirmMemory,
  demoteMemory,
  type MemoryOperation,
  type ProminenceChange,
  setProminence,
} from './operations.ts';
export { type MemoryFilter, pageMemories } from './page.ts';
export { MemoryRefused, type MemoryRefusedCode } from './refused.ts';
export type { StoredMemory } from './stored.ts';
export * from './upkeep/index.ts';
export { readVectors, type VectorPage, vectorPageSize } from './vectors.ts';
