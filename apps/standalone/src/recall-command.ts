import { RecallError } from '@slowwave/db';
import { createModels } from '@slowwave/models';
import { answerRecall, degradedText, type RecalledMemory, type RecallQuestion } from '@slowwave/producer';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';

export interface RecallArguments extends Omit<RecallQuestion, 'query' | 'priors'> {
  question: string;
  json: boolean;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Asks what a user's memories have to say to a question. @returns exit code */
export async function recallCommand(context: CommandContext, given: RecallArguments): Promise<number> {
  const { terminal, config } = context;
  const { question: query, json, ...rest } = given;
  const question: RecallQuestion = { ...rest, query };
  const answer = await anywhere(context, {
    service: (client) => client.recall(question),
    database: async (database) => {
      const { embedder } = createModels({ model: { provider: 'none' }, embedder: config.embedder });
      const budget = { limits: config.budgets, prices: config.prices };
      return answerRecall({ database, embedder, budget, at: Date.now() }, question);
    },
  }).catch((error: unknown) => {
    if (error instanceof RecallError) throw new UsageError(`there is no user ${printable(given.user)}`);
    throw error;
  });
  if (json) {
    terminal.line(JSON.stringify(answer));
    return EXIT.ok;
  }
  if (answer.degraded) terminal.line(`by words alone: ${degradedText(answer.reason)}`);
  if (answer.memories.length === 0)
    terminal.line('no memory has any word of the question, and none is near to it');
  for (const [at, memory] of answer.memories.entries()) {
    terminal.line(`${String(at + 1).padStart(2)}. ${printable(memory.content)}`);
    terminal.line(terminal.dim(`    ${detailsOf(memory).join(', ')}`));
    if (memory.parts) terminal.line(terminal.dim(`    ${whyOf(memory.score, memory.parts)}`));
  }
  return EXIT.ok;
}

function detailsOf({
  said,
  category,
  memoryType,
  archivedAt,
  isLatest,
  externalId,
  id,
}: RecalledMemory): string[] {
  const [from, to] = [dayOf(said.from), dayOf(said.to)];
  return [
    from === to ? `said on ${from}` : `said from ${from} to ${to}`,
    category,
    ...(memoryType === 'derived' ? [`derived: slowwave lineage ${id} shows its sources`] : []),
    ...(isLatest ? [] : ['superseded']),
    ...(archivedAt === null ? [] : ['archived']),
    printable(externalId ?? id),
  ];
}

/** Why a memory stands where it stands: every part of its score. */
function whyOf(score: number, parts: NonNullable<RecalledMemory['parts']>): string {
  const share = (value: number) => value.toFixed(3);
  return (
    `score ${share(score)} = relevance ${share(parts.relevance)} (words ${share(parts.words)}, meaning ${share(parts.meaning)})` +
    ` × prominence ${share(parts.prominence)} × recency ${share(parts.recency)}`
  );
}
