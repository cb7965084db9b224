/** What can be wrong with a line of an import file. */
export const PROBLEM_CODES = [
  'not_text',
  'too_many_lines',
  'line_too_long',
  'invalid_utf8',
  'invalid_json',
  'not_object',
  'unknown_field',
  'missing',
  'wrong_type',
  'empty',
  'too_long',
  'nul',
  'lone_surrogate',
  'control_character',
  'not_allowed',
  'out_of_range',
  'invalid_date',
  'early_date',
  'future_date',
  'invalid_zone',
  'self_relation',
  'duplicate_relation',
  'too_many',
  'too_deep',
  'unsafe_number',
  'metadata_conflict',
  'id_reused',
  'user_reused',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/**
 * One thing wrong with a line. The message says what was wrong and what was expected; it may name a field, a size, a limit
 * and the allowed words, and never repeats a value of the line, since values are people's memories.
 */
export interface Problem {
  code: ProblemCode;
  /** The field as the file spells it, or null when the line as a whole is at fault. */
  field: string | null;
  message: string;
}

/** Everything wrong with one line. `code` and `field` are those of the first problem, `message` tells all of them. */
export interface LineReason extends Problem {
  problems: Problem[];
}

/** At least one problem as one reason. */
export function reasonOf(problems: readonly [Problem, ...Problem[]]): LineReason {
  const [first] = problems;
  const message = problems.map((problem) => problem.message).join('; ');
  return { code: first.code, field: first.field, message, problems: [...problems] };
}

/** One more problem for the list. */
export type Report = (code: ProblemCode, field: string | null, message: string) => void;

/** A list of problems and the function that fills it. */
export function collectProblems(): { problems: Problem[]; report: Report } {
  const problems: Problem[] = [];
  return { problems, report: (code, field, message) => problems.push({ code, field, message }) };
}
