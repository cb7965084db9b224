import { dayOf } from '../day.ts';
import { fence, readFence } from '../fence.ts';
import type { Candidate, Cluster } from '../memory.ts';
import type { CompletionRequest } from '../ports.ts';
import { estimateTokens } from '../prompt.ts';
import { DATA_RULE } from '../prompt-source.ts';
import { LENGTH_SHARE, MAX_SOURCES, MAX_WORDS } from './answer.ts';

/** Part of the fusion key: another wording needs another answer. */
export const STATEMENTS_PROMPT_VERSION = 'statements-1';

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

const SYSTEM = `You tidy the long-term memory of one person: numbered notes, each with the day on which it was said. Where two to ${MAX_SOURCES} notes say the same thing, or are parts, details or successive states of one thing (one event, habit, plan, possession, opinion), write one statement that takes their place. The notes of a statement will be put away and only the statement will be read.
${DATA_RULE}
Rules:
1. A common topic or the same person is no reason to join notes. Most notes stay alone: leave them out. No statement at all is a good answer.
2. A note belongs to one statement at most, and as a whole: whatever the note says, the statement says. If something would be lost, leave that note out.
3. The statement says nothing that none of its notes says. Keep names, numbers, units, dates, times, negations, conditions and how sure something is ("may", "plans", "heard from Ben"); do not join two facts by a reason that no note gives.
4. It stands alone: names instead of "he" or "it", no "yesterday" or "next week" but the day that was meant. At most ${MAX_WORDS} words and ${LENGTH_SHARE * 100} % of the length of its notes, in their language.
5. Where a later note replaces an earlier one on another day, say both with their days, the newest first: "Since 3 May 2025 Ada works in Lund; before, until April 2025, in Oslo." Otherwise name a day of saying only where it tells when a thing was.
6. "conflicts": pairs of notes that cannot both hold at one time (contradictory), or of which one cannot tell (ambiguous), with the question they answer differently as "slot". Put neither of them into a statement.
Answer with JSON only: {"statements": [{"sources": [1, 4], "text": "..."}], "conflicts": []}

Example. Notes: 1 (2025-03-01) "Mara keeps two hens." 2 (2025-03-04) "One of Mara's hens is called Frieda." 3 (2025-03-20) "Frieda, Mara's brown hen, lays no eggs in winter." 4 (2025-04-02) "Mara may sell the car." 5 (2025-04-09) "Mara gives each hen 120 g of grain a day." 6 (2025-04-09) "Each of Mara's hens gets 150 g of grain a day."
Answer: {"statements": [{"sources": [1, 2, 3], "text": "Mara keeps two hens; one, brown Frieda, lays no eggs in winter."}], "conflicts": [{"a": 5, "b": 6, "kind": "contradictory", "slot": "grain a day for each hen"}]}
The car is another thing, so 4 stays alone; 120 g and 150 g are not settled here.`;

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
    'These statements of yours were not accepted. "lost" names what of a source a statement does not say, "invented" what no source says, in normalised spelling:',
    fence('DRAFT', drafts),
    '',
    'Write each of them again so that nothing is lost or invented, with fewer sources where that helps, or leave it out.',
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
