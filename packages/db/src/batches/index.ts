export { type CollectResult, collectRequest, type NewBatchRequest } from './collect.ts';
export { endBatch, failUnheard, listUsersOf, removeBatch, requestBatchRuns } from './end.ts';
export { type BatchedQuestion, dropBatched, findBatched, listBatchedFusions } from './find.ts';
export {
  listBatchesToLookAt,
  listKnownProviderIds,
  lookAgain,
  type ModelBatch,
  type ModelBatchState,
  markCancelled,
  takeLook,
} from './open.ts';
export { findAskers, type NewResult, type StoredResult, storeResults } from './results.ts';
export {
  beginSending,
  countRequests,
  type OwnedCall,
  recordSubmitted,
  rejectBatch,
  returnBatch,
  type Sending,
  type SendLimits,
  type SentRequest,
} from './send.ts';
export { readTenantSettings, setTenantSettings, type TenantSettings } from './settings.ts';
