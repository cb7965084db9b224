import {
  type AnsweringFigures,
  askModel,
  buildAnswerRequest,
  buildGradeRequest,
  type CompletionRequest,
  type EvaluatedText,
  type EvaluationQuestion,
  type LLMProvider,
  ModelError,
  readGivenAnswer,
  readGrade,
} from '@slowwave/fusion';

/** Questions that are answered at once. */
const AT_ONCE = 4;
/** How often a request is made that may succeed later, and how long is waited in between, ms. */
const ATTEMPTS = 4;
const PAUSE_MS = 2_000;

/** What is asked: a question, and what recall brought back for it, best first. */
export interface AnsweredQuestion {
  question: EvaluationQuestion;
  texts: readonly EvaluatedText[];
}

/**
 * Has a model answer each question from what recall brought back, and grade the answers.
 *
 * @param day on which it is asked, YYYY-MM-DD
 * @param pauseMs before a second attempt; longer before each further one
 * @throws ModelError when the model refuses as such: a bad key, a request that it does not take
 */
export async function answerQuestions(
  provider: LLMProvider,
  asked: readonly AnsweredQuestion[],
  day: string,
  onProgress: (done: number) => void,
  pauseMs: number = PAUSE_MS,
): Promise<AnsweringFigures> {
  const figures: AnsweringFigures = {
    questions: asked.length,
    right: 0,
    failed: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
  const ask = async (request: CompletionRequest) => {
    const answer = await askPatiently(provider, request, pauseMs);
    figures.inputTokens += answer?.inputTokens ?? 0;
    figures.outputTokens += answer?.outputTokens ?? 0;
    return answer;
  };
  async function answer({ question, texts }: AnsweredQuestion): Promise<boolean | null> {
    const answered = await ask(buildAnswerRequest(question, texts, day));
    const given = answered === null ? undefined : readGivenAnswer(answered);
    if (given === undefined) return null;
    // Nothing is needed to grade what was to be rejected, or was not found.
    if (given === null || question.answers.length === 0)
      return given === null && question.answers.length === 0;
    const graded = await ask(buildGradeRequest(question, given));
    return graded === null ? null : readGrade(graded);
  }
  let done = 0;
  const rest = asked.values();
  const workers = Array.from({ length: Math.min(AT_ONCE, asked.length) }, async () => {
    for (const one of rest) {
      const isRight = await answer(one);
      if (isRight === null) figures.failed += 1;
      else if (isRight) figures.right += 1;
      done += 1;
      onProgress(done);
    }
  });
  await Promise.all(workers);
  return figures;
}

/** @returns null when every attempt failed for a reason that may pass */
async function askPatiently(provider: LLMProvider, request: CompletionRequest, pauseMs: number) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askModel(provider, request);
    } catch (error) {
      if (!(error instanceof ModelError) || !(error.retryable || error.code === 'rate_limited')) throw error;
      if (attempt === ATTEMPTS) return null;
      await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? pauseMs * attempt));
    }
  }
}
