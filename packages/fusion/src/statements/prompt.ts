import { dayOf } from '../day.ts';
import { fence, readFence } from '../fence.ts';
import type { Candidate, Cluster } from '../memory.ts';
import type { CompletionRequest } from '../ports.ts';
import { estimateTokens } from '../prompt.ts';
import { DATA_RULE } from '../prompt-source.ts';
import { LENGTH_SHARE, MAX_SOURCES, MAX_WORDS } from './answer.ts';

/** Part of the fusion key: another wording needs another answer. */
export const STATEMENTS_PROMPT_VERSION = 'statements-3';

/** The answer, as JSON schema. The order of the fields matters: the sources are chosen before the text is written. */
export const STATEMENTS_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['statements', 'conflicts'],
  properties: {
    statements: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['sources', 'text'],
        properties: { sources: { type: 'array', items: { type: 'integer' } }, text: { type: 'string' } },
      },
    },
    conflicts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['a', 'b', 'kind', 'slot'],
        properties: {
          a: { type: 'integer' },
          b: { type: 'integer' },
          kind: { type: 'string', enum: ['contradictory', 'ambiguous'] },
          slot: { type: 'string' },
        },
      },
    },
  },
};

const SYSTEM = `You tidy the long-term memory of one person: numbered notes, each with the day on which it was said. Where two to ${MAX_SOURCES} notes say the same thing, or are parts, details or successive states of one thing (one event, habit, plan, possession, opinion), write one statement that takes their place. The notes of a statement will be put away and only the statement will be read, on some later day.
${DATA_RULE}
Rules:
1. A common topic or the same person is no reason to join notes. Most notes stay alone: leave them out. No statement at all is a good answer.
2. A note belongs to one statement at most, and as a whole: whatever the note says, the statement says. If something would be lost, leave that note out.
3. The statement says nothing that none of its notes says. Keep names, numbers, units, dates, times, negations, conditions and how sure something is ("may", "plans", "heard from Ben"); do not join two facts by a reason that no note gives.
4. It stands alone and can be understood in one way only: names instead of "he" or "it", and what a name names stays where a note tells it ("the dog Rex", "her niece Ida"). At most ${MAX_WORDS} words and ${LENGTH_SHARE * 100} % of the length of its notes, in their language.
5. When. Its reader knows when each thing was, as well as a reader of the notes with their days:
 - What lasts (a liking, trait, possession, family tie, a habit of one's own) needs no day.
 - An event, visit, plan, wish, suggestion, promise, balance, price, dose, setting or standing arrangement, and a routine with other people or for a job, course or project, keeps its day or month. Told on several days, what goes on keeps the last of them, and what was done or has changed (raised, bought, moved, hired, broken) the first: it had happened by then. Where the note tells none, give the day of the note as the day of telling: "As of 4 May 2025 Ada plans ...", "312 euros as of 4 May 2025", "told on 4 May 2025"; "planned on" would be a day of planning. Two occasions stay two, each with its day. Where one part of a statement has a day, every part that may change has its own.
 - The day of a note is when it was said, never when something was done. Notes of 5 June and 15 July that both say "Ada salts her eggs" tell of a habit: "Ada salts her eggs", not "On 5 June and 15 July Ada salted her eggs".
 - "yesterday" or "next week" becomes the day that was meant; a month or weekday gets its year or date from the day of the note: "in February 2026".
 - An age is "aged 46 as of 1 March 2026". A bare date behind a number is never its day.
6. Successive states: where a later note replaces an earlier one on another day, say both with their days, the newest first: "As of 3 May 2025 Ada works in Lund; as of 12 April 2025 it was Oslo." Only what the later note takes back has ended. What else the earlier note says (how, where, with what) holds still: say it of now, or leave that note out.
7. "conflicts": pairs of notes that cannot both hold at one time (contradictory), or of which one cannot tell (ambiguous), with the question they answer differently as "slot". Put neither of them into a statement.
Answer with JSON only: {"statements": [{"sources": [1, 4], "text": "..."}], "conflicts": []}

Example. Notes: 1 (2025-03-01) "Mara keeps two hens." 2 (2025-03-04) "One of Mara's hens is called Frieda." 3 (2025-03-20) "Frieda, Mara's brown hen, lays no eggs in winter." 4 (2025-04-02) "Mara may sell the car." 5 (2025-04-09) "Mara gives each hen 120 g of grain a day." 6 (2025-04-09) "Each of Mara's hens gets 150 g of grain a day." 7 (2025-04-11) "Mara plans to build a bigger coop." 8 (2025-04-30) "For the bigger coop that she plans Mara wants larch wood."
Answer: {"statements": [{"sources": [1, 2, 3], "text": "Mara keeps two hens; one, brown Frieda, lays no eggs in winter."}, {"sources": [7, 8], "text": "As of April 2025 Mara plans to build a bigger coop, of larch wood."}], "conflicts": [{"a": 5, "b": 6, "kind": "contradictory", "slot": "grain a day for each hen"}]}
The hens last, so they have no day; the plan keeps its month. The car is another thing, so 4 stays alone; 120 g and 150 g are not settled here.`;

const MIN_ANSWER_TOKENS = 256;
const MAX_ANSWER_TOKENS = 4_096;
const STRUCTURE_TOKENS = 64;
const TOKENS_PER_SOURCE = 24;

/** Asks for the statements of one cluster. */
export function buildStatementsRequest(
  cluster: Cluster,
  options: { signal?: AbortSignal } = {},
): CompletionRequest {
  const { members } = cluster;
  const tokens = members.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const room = Math.ceil(LENGTH_SHARE * tokens) + STRUCTURE_TOKENS + TOKENS_PER_SOURCE * members.length;
  const request: CompletionRequest = {
    messages: [{ role: 'user', content: fence('SOURCES', members.map(noteOf)) }],
    system: SYSTEM,
    temperature: 0.1,
    maxTokens: Math.max(MIN_ANSWER_TOKENS, Math.min(MAX_ANSWER_TOKENS, room)),
    schema: STATEMENTS_SCHEMA,
  };
  if (options.signal) request.signal = options.signal;
  return request;
}

/** A note as a request shows it. */
export interface StatementNote {
  /** Number from 1. */
  n: number;
  /** The day on which it was said, YYYY-MM-DD. */
  date: string | null;
  text: string;
}

/** The notes of a first request for statements, in order; null for any other request. Offline providers and fakes answer from them. */
export function readStatementsRequest({ system, messages }: CompletionRequest): StatementNote[] | null {
  const content = messages.map((message) => message.content).join('\n');
  if (system !== SYSTEM || readFence('DRAFT', content) !== null) return null;
  return readFence('SOURCES', content) as StatementNote[] | null;
}

const MAX_PROBLEMS = 40;

/** What is wrong with a statement: a number of a source (null: of the statement itself), what kind of thing, and which. Holds memory text. */
export interface StatementFault {
  problem: 'lost' | 'invented' | 'differs';
  source: number | null;
  value: string;
}

/**
 * Asks once more for the statements that were not accepted, naming what was lost or added. The sources of all others are out of it.
 *
 * @param refused proposals with what is wrong with each
 * @param taken numbers of sources that accepted statements have
 */
export function buildStatementsRepair(
  cluster: Cluster,
  refused: readonly {
    statement: { sources: readonly number[]; text: string };
    faults: readonly StatementFault[];
  }[],
  taken: ReadonlySet<number>,
): CompletionRequest {
  const request = buildStatementsRequest(cluster);
  const drafts = refused.map(({ statement: { sources, text }, faults }) => ({
    sources,
    text,
    problems: faults.slice(0, MAX_PROBLEMS),
  }));
  const parts = [
    request.messages[0]!.content,
    '',
    'These statements of yours were not accepted. "lost" names what of a source a statement does not say, "invented" what no source says, in normalised spelling; "differs" is what a reader of the statement alone would know otherwise, in the words of that reader:',
    fence('DRAFT', drafts),
    '',
    'Write each of them again so that nothing is lost, invented or told otherwise, with fewer sources where that helps, or leave it out.',
    ...(taken.size > 0
      ? [`Leave out notes ${[...taken].sort((a, b) => a - b).join(', ')}: they are done.`]
      : []),
  ];
  return { ...request, messages: [{ role: 'user', content: parts.join('\n') }] };
}

/** As it was written: the writer resolves "yesterday" by the day, and the floor checks how. */
function noteOf({ content, documentDay, documentDate }: Candidate, index: number): StatementNote {
  return { n: index + 1, date: documentDay ?? dayOf(documentDate), text: content };
}
