import type { QuestionType } from '@slowwave/fusion';
import { addObservations, hasObservations } from './locomo-observations.ts';
import { createTurns, type Turns, turnKeys } from './locomo-turns.ts';
import {
  type ConvertedSample,
  createSample,
  dateOfTurn,
  type SampleBuilder,
  type SampleNotes,
  type SampleOptions,
} from './sample.ts';
import {
  fieldOf,
  isObject,
  type JsonObject,
  requireDate,
  requireName,
  requireText,
  SampleError,
  textOf,
  textsOf,
} from './values.ts';

/** A session with its turns; dates without turns are passed over. */
const SESSION = /^session_([1-9]\d{0,4})$/;

/** Each number of `category` and the type that it becomes; 3 needs common sense beside what was said. */
const TYPES: Readonly<Record<number, QuestionType | 'by evidence'>> = {
  1: 'multi',
  2: 'temporal',
  3: 'by evidence',
  4: 'single',
  5: 'unanswerable',
};

/** Converts one sample of LoCoMo: the conversation of two people, one user of ours. */
export function convertLocomo(sample: JsonObject, number: number, options: SampleOptions): ConvertedSample {
  const user = requireName(fieldOf(sample, 'sample_id') ?? `sample-${number}`, 'sample_id');
  const conversation = fieldOf(sample, 'conversation');
  if (!isObject(conversation)) {
    const other = Object.hasOwn(sample, 'haystack_sessions') ? '; this looks like --from longmemeval' : '';
    throw new SampleError('conversation', `is missing; expected the sessions of a conversation${other}`);
  }
  const builder = createSample(user, options);
  const observed = options.unit === 'observation' && hasObservations(sample);
  const turns = createTurns(observed);
  for (const field of Object.keys(conversation)) {
    const session = Number(SESSION.exec(field)?.[1]);
    if (session > 0) addSession(builder, turns, conversation, session, !observed);
  }
  if (observed) addObservations(builder, turns, sample);
  addQuestions(builder, turns, sample, options.notes);
  return builder.converted();
}

function addSession(
  builder: SampleBuilder,
  turns: Turns,
  conversation: JsonObject,
  session: number,
  remember: boolean,
): void {
  const place = `conversation.session_${session}`;
  const said = fieldOf(conversation, `session_${session}`);
  if (!Array.isArray(said)) throw new SampleError(place, 'expected a list of turns');
  if (said.length === 0) return;
  const date = requireDate(fieldOf(conversation, `session_${session}_date_time`), `${place}_date_time`);
  turns.addSession(session, date);
  for (const [at, turn] of said.entries()) {
    const here = `${place}[${at}]`;
    if (!isObject(turn)) throw new SampleError(here, 'expected a turn with speaker, dia_id and text');
    const speaker = requireText(turn, 'speaker', `${here}.`).replace(/\s+/g, ' ');
    const photo = requireText(turn, 'blip_caption', `${here}.`);
    const text = [requireText(turn, 'text', `${here}.`), photo && `[photo: ${photo}]`];
    const ids = !remember
      ? []
      : builder.remember({
          id: `D${session}:${at + 1}`,
          text: text.filter((part) => part !== '').join(' '),
          prefix: speaker === '' ? '' : `${speaker}: `,
          date: dateOfTurn(date, at + 1),
          session: `session-${session}`,
        });
    const key = turnKeys(fieldOf(turn, 'dia_id'))[0] ?? `${session}:${at + 1}`;
    turns.add(key, ids);
  }
}

function addQuestions(builder: SampleBuilder, turns: Turns, sample: JsonObject, notes: SampleNotes): void {
  const asked = fieldOf(sample, 'qa') ?? [];
  if (!Array.isArray(asked)) notes.problem('qa', 'expected a list of questions');
  for (const [at, entry] of Array.isArray(asked) ? asked.entries() : []) {
    const field = `qa[${at}]`;
    const kind = isObject(entry) ? TYPES[Number(fieldOf(entry, 'category'))] : undefined;
    if (!isObject(entry) || kind === undefined) {
      notes.problem(field, 'expected a question with a category from 1 to 5');
      continue;
    }
    const question = textOf(fieldOf(entry, 'question')) ?? '';
    if (kind === 'unanswerable') {
      // What the file calls its answer is the mistake that the question invites.
      builder.ask(field, { question, type: kind, answers: [], evidence: [] });
      continue;
    }
    const named = textsOf(fieldOf(entry, 'evidence'));
    const evidence = turns.evidenceOf(turnKeys(named));
    if (named.length > 0 && typeof evidence === 'string') notes.skip(evidence);
    else {
      const needed = typeof evidence === 'string' ? [] : evidence;
      const type = kind !== 'by evidence' ? kind : needed.length > 1 ? 'multi' : 'single';
      builder.ask(field, { question, type, answers: textsOf(fieldOf(entry, 'answer')), evidence: needed });
    }
  }
}
