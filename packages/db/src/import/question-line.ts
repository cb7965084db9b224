import { QUESTION_TYPES } from '@slowwave/fusion';
import { checkName, checkText, type FieldSource, fieldOf, readName, readWord } from './fields.ts';
import type { LineDefaults } from './memory-line.ts';
import type { Report } from './problems.ts';
import { type QuestionRecord, RECORD_DEFAULTS } from './record.ts';

const FIELDS: readonly string[] = [
  'kind',
  'tenant',
  'user',
  'question',
  'type',
  'answers',
  'evidence',
  'outdated',
];

function readTexts(source: FieldSource, field: string): string[] {
  const value = fieldOf(source, field) ?? [];
  if (Array.isArray(value) && value.every((text) => typeof text === 'string' && text.trim() !== '')) {
    return value.every((text) => checkText(text, field, source.report)) ? value : [];
  }
  source.report('wrong_type', field, `${field} must be a list of texts that are not empty`);
  return [];
}

/** All entries are needed; an entry that is a list needs one of its own. */
function readEvidence(source: FieldSource): string[][] {
  const value = fieldOf(source, 'evidence') ?? [];
  const isId = (id: unknown): id is string => typeof id === 'string';
  if (!Array.isArray(value)) {
    source.report('wrong_type', 'evidence', 'evidence must be a list of ids, or of lists of ids');
    return [];
  }
  return value.map((needed: unknown) => {
    const ids = isId(needed) ? [needed] : Array.isArray(needed) && needed.length > 0 ? needed : null;
    if (ids?.every(isId)) return ids.filter((id) => checkName(id, 'evidence', source.report));
    source.report('wrong_type', 'evidence', 'evidence must be a list of ids, or of lists of ids');
    return [];
  });
}

/** A parsed object of the kind "question" as a record; null when anything is wrong, all of which is reported. */
export function readQuestion(
  object: Record<string, unknown>,
  defaults: LineDefaults,
  report: Report,
): QuestionRecord | null {
  let clean = true;
  const source: FieldSource = {
    object,
    report: (...problem) => {
      clean = false;
      report(...problem);
    },
  };
  if (Object.keys(object).some((field) => !FIELDS.includes(field))) {
    const expected = `a line of the kind question has a field other than ${FIELDS.join(', ')}`;
    source.report('unknown_field', null, expected);
  }
  const user = readName(source, 'user') ?? defaults.user ?? null;
  if (user === null && fieldOf(source, 'user') === null) {
    source.report('missing', 'user', 'user is missing; expected the name of a user');
  }
  const tenant = readName(source, 'tenant') ?? defaults.tenant ?? RECORD_DEFAULTS.tenant;
  const type = readWord(source, 'type', QUESTION_TYPES);
  if (type === null && fieldOf(source, 'type') === null) {
    source.report('missing', 'type', `type is missing; expected one of ${QUESTION_TYPES.join(', ')}`);
  }
  const [question = ''] = readTexts(
    { ...source, object: { question: [fieldOf(source, 'question')] } },
    'question',
  );
  const answers = readTexts(source, 'answers');
  const outdated = readTexts(source, 'outdated');
  const evidence = readEvidence(source);
  const given = [answers, evidence].filter((list) => list.length > 0).length;
  if (clean && given !== (type === 'unanswerable' ? 0 : 2)) {
    const expected = 'a question needs answers and evidence, and one of the type unanswerable has neither';
    source.report('missing', 'answers', expected);
  }
  if (clean && type === 'update' && outdated.length === 0) {
    source.report('missing', 'outdated', 'a question of the type update names the values that were replaced');
  }
  if (!clean || user === null || type === null) return null;
  return { kind: 'question', tenant, user, question, type, answers, evidence, outdated };
}
