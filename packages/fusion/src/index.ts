export * from './answer.ts';
export { askModel, questionOf } from './ask.ts';
export { type FuseOneOptions, fuseOne, type OpenJudge, type StatementsOptions } from './attempt.ts';
export { closenessOf, cosineSlope } from './closeness.ts';
export * from './cluster.ts';
export type { JsonProvider, NoteProvider } from './conflict/ask-notes.ts';
export * from './conflict/cluster-notes.ts';
export * from './conflict/consolidate.ts';
export * from './conflict/decide.ts';
export { type DetectOptions, detectConflicts } from './conflict/detect.ts';
export { cleanLine, judgeLabels, type LabelJudgement } from './conflict/judge-labels.ts';
export * from './conflict/labels.ts';
export * from './conflict/notes.ts';
export * from './conflict/pair.ts';
export { resolveConflicts } from './conflict/resolve.ts';
export { cosineSimilarity } from './conflict/similarity.ts';
export * from './conflict/summarize.ts';
export type { MemoryConflict } from './conflict/types.ts';
export { localDay } from './day.ts';
export * from './decay.ts';
export * from './derive.ts';
export {
  ANSWERING_CHARS,
  type AnsweringFigures,
  buildAnswerRequest,
  buildGradeRequest,
  readGivenAnswer,
  readGrade,
} from './evaluation/answering.ts';
export { byCosine, createBm25, placesBy } from './evaluation/baselines.ts';
export {
  DIGEST_BUDGETS,
  type DigestBudget,
  type DigestFigures,
  scoreDigest,
} from './evaluation/digest.ts';
export {
  type GroupCounts,
  type GroupFigures,
  type GroupTracker,
  type RestatementGroup,
  restatementGroups,
  trackGroups,
} from './evaluation/groups.ts';
export { recallPicture } from './evaluation/picture.ts';
export {
  type EvaluatedText,
  type EvaluationQuestion,
  QUESTION_TYPES,
  type QuestionType,
} from './evaluation/questions.ts';
export * from './evaluation/report.ts';
export {
  BUDGETS,
  type Budget,
  figuresOf,
  type QuestionScore,
  type SearchFigures,
  scoreQuestion,
} from './evaluation/score.ts';
export { isSafeText, safeText } from './fence.ts';
export * from './fuse.ts';
export { differenceWords } from './gate/difference-words.ts';
export { isRepeat, isSameWording } from './gate/fast-lane.ts';
export { type FloorProblem, floorProblems } from './gate/floor.ts';
export * from './gate/gate.ts';
export { openDates, type SaidText } from './gate/hard-facts.ts';
export { planMerges } from './gate/merge.ts';
export { isDuplicate, type TwinText } from './gate/same-wording.ts';
export { TWIN_THRESHOLD, type TwinPair } from './gate/twins.ts';
export * from './habits/behaviour.ts';
export * from './habits/goals.ts';
export type { TopicWeight } from './habits/topics.ts';
export * from './habits/trust.ts';
export * from './json-object.ts';
export { readVotes, type Vote, type VoteRefusal } from './judge/answer.ts';
export { type Canary, canariesFor } from './judge/canaries.ts';
export { EXAM, EXAM_REQUESTS, EXAM_VERSION, type ExamItem, type ExamResult, takeExam } from './judge/exam.ts';
export { flagsOf } from './judge/flags.ts';
export { type JudgeItem, judgeItems, type KeyedHash } from './judge/items.ts';
export { buildJudgeRequest, JUDGE_PROMPT_VERSION } from './judge/request.ts';
export * from './limits.ts';
export * from './memory.ts';
export * from './nrem.ts';
export { buildNremFusionPrompt, buildRelationContext } from './nrem-prompt.ts';
export type { ClusterOutcome, DeferCode, Ending, FailureCode, FusionEvent, Usage } from './outcome.ts';
export { failureWord } from './outcome.ts';
export { planClusters } from './plan.ts';
export * from './plan-config.ts';
export * from './ports.ts';
export * from './prompt.ts';
export { type AtomSpan, atomSpans } from './reading/atom-spans.ts';
export { ATOM_KINDS, type Atom, type AtomKind, extractAtoms } from './reading/atoms.ts';
export { detectLanguage } from './reading/languages/detect.ts';
export { type ResolvedText, resolveRelativeDates } from './reading/relative-dates.ts';
export { BM25, type Collection, type Matches, wordShare } from './recall/bm25.ts';
export { CHARS_PER_TOKEN, charsIn, withinBudget } from './recall/budget.ts';
export {
  DEFAULT_PRIORS,
  PRIOR_MAX,
  type RankedHit,
  type RankOptions,
  type RecallHit,
  type RecallPriors,
  rankRecall,
  type ScoreParts,
} from './recall/rank.ts';
export {
  DEFAULT_REM_CONFIG,
  type RemConfig,
  type RemNode,
  type RemPlanCounts,
  type RemSeed,
} from './rem/config.ts';
export * from './rem/judge.ts';
export { planRem, type RemOptions } from './rem/plan.ts';
export * from './rem/prompt.ts';
export { createRandom } from './rem/random.ts';
export { inOneGo, type Slices, withPauses } from './slices.ts';
export * from './statements/answer.ts';
export * from './statements/decide.ts';
export { type Groups, joinClosest } from './statements/linkage.ts';
export * from './statements/prompt.ts';
export { joinRepeats } from './statements/repeats.ts';
export { decideRestatements, readRestatements } from './statements/restatements.ts';
export type { JudgePurpose, JudgeQuestion, StatementJudge } from './statements/verdicts.ts';
export * from './step.ts';
export * from './summaries/judge-reflection.ts';
export * from './summaries/judge-summary.ts';
export type { PromptMessage, SummaryMessage } from './summaries/messages.ts';
export {
  buildReflectionRequest,
  MAX_INSIGHT_CHARS,
  MAX_INSIGHTS,
  MAX_PROFILE_WORDS,
  type PromptSummary,
  REFLECTION_PROMPT_VERSION,
  REFLECTION_SCHEMA,
  type ReflectionInput,
  readReflectionRequest,
} from './summaries/reflection.ts';
export { countWords, splitSentences } from './summaries/sentences.ts';
export * from './summaries/session-summary.ts';
export { createKernel } from './vectors/create-kernel.ts';
export type { Kernel, KernelRows } from './vectors/kernel.ts';
export { createNearest, type Nearest, type NearestOptions, type NearestResult } from './vectors/nearest.ts';
export { pairsAbove, pairsInSlices } from './vectors/pairs.ts';
export { createPlainKernel } from './vectors/plain-kernel.ts';
