import type { QuestionType } from '@slowwave/fusion';
import {
  type ConvertedSample,
  createSample,
  dateOfTurn,
  type SampleBuilder,
  type SampleOptions,
} from './sample.ts';
import {
  fieldOf,
  isObject,
  type JsonObject,
  requireDate,
  requireList,
  requireName,
  requireText,
  SampleError,
  textOf,
  textsOf,
} from './values.ts';

/**
 * Each `question_type` and the type that it becomes. The file does not say which value an update has replaced, which ours needs: those
 * questions are asked like any others.
 */
const TYPES: Readonly<Record<string, QuestionType | 'by evidence'>> = {
  'single-session-user': 'single',
  'single-session-assistant': 'single',
  'single-session-preference': 'single',
  'multi-session': 'multi',
  'temporal-reasoning': 'temporal',
  'knowledge-update': 'by evidence',
};

interface Turn {
  /** From 1, as the file counts. */
  position: number;
  isUser: boolean;
  text: string;
  hasAnswer: boolean;
}

/** Converts one question of LongMemEval with its history, one user of ours. */
export function convertLongMemEval(
  sample: JsonObject,
  number: number,
  options: SampleOptions,
): ConvertedSample {
  const user = requireName(fieldOf(sample, 'question_id') ?? `sample-${number}`, 'question_id');
  if (!Object.hasOwn(sample, 'haystack_sessions') && Object.hasOwn(sample, 'conversation')) {
    throw new SampleError('haystack_sessions', 'is missing; this looks like --from locomo');
  }
  const sessions = requireList(sample, 'haystack_sessions');
  const dates = requireList(sample, 'haystack_dates');
  const builder = createSample(user, options);
  const evidence: string[][] = [];
  let byAssistant = false;
  for (const [at, session] of sessions.entries()) {
    const date = requireDate(dates[at], `haystack_dates[${at}]`);
    const turns = turnsOf(session, `haystack_sessions[${at}]`);
    if (options.unit === 'round') evidence.push(...addRounds(builder, turns, at + 1, date));
    else evidence.push(...addTurns(builder, turns, at + 1, date));
    byAssistant ||= turns.some(({ isUser, hasAnswer }) => hasAnswer && !isUser);
  }
  const named = textOf(fieldOf(sample, 'question_type')) ?? '';
  const kind = Object.hasOwn(TYPES, named) ? TYPES[named] : undefined;
  const question = textOf(fieldOf(sample, 'question')) ?? '';
  if (user.endsWith('_abs')) {
    builder.ask('question', { question, type: 'unanswerable', answers: [], evidence: [] });
  } else if (kind === undefined) {
    options.notes.problem('question_type', `expected one of ${Object.keys(TYPES).join(', ')}`);
  } else if (evidence.length === 0 && byAssistant) {
    options.notes.skip('said_by_assistant');
  } else {
    const type = kind !== 'by evidence' ? kind : evidence.length > 1 ? 'multi' : 'single';
    builder.ask('question', { question, type, answers: textsOf(fieldOf(sample, 'answer')), evidence });
  }
  return builder.converted();
}

function turnsOf(session: unknown, place: string): Turn[] {
  if (!Array.isArray(session)) throw new SampleError(place, 'expected a list of turns');
  return session.map((turn: unknown, at) => {
    const here = `${place}[${at}]`;
    const role = isObject(turn) ? fieldOf(turn, 'role') : undefined;
    if (!isObject(turn) || (role !== 'user' && role !== 'assistant')) {
      throw new SampleError(here, 'expected a turn with the role user or assistant, and content');
    }
    return {
      position: at + 1,
      isUser: role === 'user',
      text: requireText(turn, 'content', `${here}.`),
      hasAnswer: fieldOf(turn, 'has_answer') === true,
    };
  });
}

/** One memory for each turn of the user. @returns the evidence among them */
function addTurns(builder: SampleBuilder, turns: readonly Turn[], session: number, date: number): string[][] {
  return turns.flatMap(({ position, isUser, text, hasAnswer }) => {
    if (!isUser) return [];
    const ids = builder.remember({
      id: `session-${session}/turn-${position}`,
      text,
      date: dateOfTurn(date, position),
      session: `session-${session}`,
      source: 'user',
    });
    return hasAnswer && ids.length > 0 ? [ids] : [];
  });
}

/** One memory for what the user said with the answer to it. @returns the evidence among them */
function addRounds(
  builder: SampleBuilder,
  turns: readonly Turn[],
  session: number,
  date: number,
): string[][] {
  const rounds: Turn[][] = [];
  for (const turn of turns) {
    const last = rounds.at(-1);
    if (turn.isUser || last === undefined) rounds.push([turn]);
    else last.push(turn);
  }
  return rounds.flatMap((round) => {
    const said = round.filter(({ text }) => text !== '');
    const ids = builder.remember({
      id: `session-${session}/round-${round[0]!.position}`,
      text: said.map(({ isUser, text }) => `${isUser ? 'User' : 'Assistant'}: ${text}`).join('\n\n'),
      date: dateOfTurn(date, round[0]!.position),
      session: `session-${session}`,
    });
    return said.some(({ hasAnswer }) => hasAnswer) && ids.length > 0 ? [ids] : [];
  });
}
