export { askRemState, loadRemGraph, REM_NODE_LIMIT, type RemGraph, readRemState } from './graph.ts';
export { type CandidateVerdict, type Judged, listJudgedPairs, pairKey, storeVerdicts } from './verdicts.ts';
