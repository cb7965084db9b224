import { createReadStream } from 'node:fs';
import path from 'node:path';
import { lineOf, type MemoryRecord, parseImport, type QuestionRecord } from '@slowwave/db';
import { UsageError } from '../exit.ts';

const PROBLEMS_SHOWN = 5;
const OTHER_FORMATS = 'files of LoCoMo and LongMemEval become sets with slowwave evaluate convert';

/** An evaluation set: memories and what is asked of them. */
export interface EvaluationSet {
  /** The lines of users and memories, as an import reads them. */
  lines: string;
  memories: MemoryRecord[];
  questions: QuestionRecord[];
  /** The newest day on which anything was said, epoch ms. */
  newest: number;
}

/**
 * Reads one or several import files as one set.
 * @param maxContentChars characters of a memory at most
 * @throws UsageError for lines that cannot be read, for a set without questions, and for evidence that is not in it
 */
export async function readEvaluationSet(
  files: readonly string[],
  maxContentChars: number,
): Promise<EvaluationSet> {
  const lines: string[] = [];
  const memories: MemoryRecord[] = [];
  const questions: QuestionRecord[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const name = path.basename(file);
    // As an import reads them; but a day that is made up would make up the answers to questions about time.
    const options = { defaults: { category: 'fact' }, limits: { contentChars: maxContentChars } } as const;
    for await (const line of parseImport(createReadStream(file), {
      format: 'jsonl',
      fileName: name,
      ...options,
    })) {
      if (!line.ok) problems.push(`${name}, line ${line.line}: ${line.reason.message}`);
      else if (line.duplicateOf !== null) continue;
      else if (line.record.kind === 'question') questions.push(line.record);
      else {
        lines.push(lineOf(line.record));
        if (line.record.kind === 'memory') memories.push(line.record);
      }
    }
  }
  if (problems.length > 0 && files.some((file) => /\.json$/i.test(file))) refuse(problems, [OTHER_FORMATS]);
  refuse(problems);
  if (questions.length === 0) {
    throw new UsageError(
      'there is no question in it: add lines such as {"kind":"question","user":"ana","type":"single","question":"…","answers":["…"],"evidence":["id of a memory"]}',
    );
  }
  refuse(strayEvidence(memories, questions));
  const newest = memories.reduce((latest, { date }) => Math.max(latest, date), 0);
  return { lines: lines.join('\n'), memories, questions, newest };
}

function strayEvidence(memories: readonly MemoryRecord[], questions: readonly QuestionRecord[]): string[] {
  const key = (tenant: string, user: string, id: string) => JSON.stringify([tenant, user, id]);
  const known = new Set(memories.map(({ tenant, user, externalId }) => key(tenant, user, externalId)));
  return questions.flatMap(({ tenant, user, evidence }) =>
    evidence
      .flat()
      .filter((id) => !known.has(key(tenant, user, id)))
      .map((id) => `a question of ${user} names the evidence ${id}, which is no memory of this file`),
  );
}

function refuse(problems: readonly string[], hints: readonly string[] = []): void {
  if (problems.length === 0) return;
  const more = problems.length > PROBLEMS_SHOWN ? [`and ${problems.length - PROBLEMS_SHOWN} more`] : [];
  throw new UsageError([...problems.slice(0, PROBLEMS_SHOWN), ...more, ...hints].join('\n'));
}
