export { loadCandidates } from './candidates.ts';
export * from './crossings.ts';
export * from './embeddings.ts';
export * from './insert.ts';
export { NEIGHBOUR_FLOOR, NEIGHBOUR_LIMIT, storeNeighbours } from './neighbours.ts';
