export { failFusion } from './answer.ts';
export { claimFusion } from './claim.ts';
export {
  type FusionDetail,
  type FusionSourceView,
  type FusionTextView,
  readFusion,
} from './detail.ts';
export {
  type JudgeAnswers,
  type JudgeOwner,
  judgeHashOf,
  openJudgeAnswers,
  statementsMethodOf,
  statementsVersionOf,
} from './judge-answers.ts';
export { type JudgeExam, readJudgeExam, storeJudgeExam } from './judge-exams.ts';
export {
  FUSIONS_PER_LIST_MAX,
  type FusionFilter,
  type FusionView,
  listFusions,
  pageFusions,
} from './list.ts';
export { listReviews, pageReviews, REVIEWS_PER_LIST_MAX, type ReviewView } from './list-reviews.ts';
export {
  askLeftFailures,
  type LoadedFusion,
  listLeftFailures,
  loadFusion,
  loadFusions,
} from './load.ts';
export { type MergeResult, mergeDuplicates, mergeKeyOf } from './merge.ts';
export {
  type PreviewFusion,
  type PreviewMerge,
  type PreviewSource,
  type PreviewVerdict,
  type PreviewView,
  previewOf,
} from './preview.ts';
export { type HoldProof, heldBy, LeaseLost, requireLease } from './require-lease.ts';
export {
  type ApproveResult,
  approveFusion,
  askExpiredReviews,
  type Decision,
  expireReviews,
  type RejectResult,
  rejectFusion,
} from './review.ts';
export { ReviewRefused, type ReviewRefusedCode } from './review-refused.ts';
export {
  ALL_GUARDS,
  COMMIT_FAILPOINTS,
  type CommitGuards,
  type CommitOptions,
  type FailpointName,
  type Failpoints,
  type FusionScope,
  type PlannedMember,
  type PlannedMerge,
  REVIEW_MS,
} from './scope.ts';
export { askOpenFusions, markStale, staleLeftFusions } from './stale.ts';
export { commitStatements, type StatementsInput } from './statements.ts';
export { type BoundStore, createMemoryStore } from './store.ts';
