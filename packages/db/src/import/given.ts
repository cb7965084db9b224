import type { MemoryCategory, Origin, Visibility } from '@slowwave/fusion';
import { createDuplicates } from './duplicates.ts';
import { type MemoryRules, readMemory } from './memory-line.ts';
import { collectProblems, type LineReason, type Problem, reasonOf } from './problems.ts';
import type { ImportMemoryType, ImportRelationType, MemoryRecord } from './record.ts';

type Maybe<Value> = Value | null | undefined;

/** A memory as a caller gives it: what a line of an import says, under the names that stored memories have. Instants in epoch ms. */
export interface GivenMemory {
  user?: Maybe<string>;
  /** The writer's own id; absent: one made from what the memory says. */
  externalId?: Maybe<string>;
  content: string;
  category?: Maybe<MemoryCategory>;
  memoryType?: Maybe<ImportMemoryType>;
  /** 1 to 10. */
  importance?: Maybe<number>;
  /** 0 to 1. */
  confidence?: Maybe<number>;
  /** 0 to 1. */
  trust?: Maybe<number>;
  origin?: Maybe<Origin>;
  visibility?: Maybe<Visibility>;
  session?: Maybe<string>;
  /** When it was said. */
  documentDate?: Maybe<number>;
  eventDate?: Maybe<number>;
  validFrom?: Maybe<number>;
  validTo?: Maybe<number>;
  expiresAt?: Maybe<number>;
  relations?: Maybe<readonly { type: ImportRelationType; target: string; confidence?: Maybe<number> }[]>;
  metadata?: Maybe<Record<string, unknown>>;
}

export type ReadMemory =
  /** `sameAs`: the position of the earlier one that says the same, which needs no writing twice. */
  | { ok: true; record: MemoryRecord; sameAs: number | null }
  | { ok: false; user: string | null; externalId: string | null; reason: LineReason };

export interface GivenRules {
  tenant: string;
  /** Whose they are where a memory does not say. */
  user?: string | undefined;
  /** Epoch ms: when they were said where a memory does not say; none is said more than a day later. */
  at: number;
  maxContentChars: number;
}

/** The names that lines of an import have for fields of a memory. */
const LINE_NAMES = { externalId: 'id', documentDate: 'date', origin: 'source' } as const;
const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(LINE_NAMES).map(([field, line]) => [line, field]),
);

/**
 * Memories as records, each with the checks and the defaults of a line of an import. Reasons name fields as GivenMemory has them and
 * repeat nothing that was given.
 */
export function readGiven(given: readonly GivenMemory[], rules: GivenRules): ReadMemory[] {
  const seenBefore = createDuplicates((position) => `memories[${position}]`);
  return given.map((memory, position) => {
    const read = readOne(memory, rules);
    if (!read.ok) return read;
    const seen = seenBefore(read.record, position);
    if ('problem' in seen) return refused(memory, rules, [seen.problem]);
    return { ok: true, record: read.record, sameAs: seen.duplicateOf };
  });
}

function readOne(
  given: GivenMemory,
  rules: GivenRules,
): { ok: true; record: MemoryRecord } | Extract<ReadMemory, { ok: false }> {
  const { tenant, user, at, maxContentChars } = rules;
  const { externalId: id, documentDate: date, origin: source, ...rest } = given;
  const memoryRules: MemoryRules = {
    // As an import has it: what is given with neither a day nor a kind is a fact of today.
    defaults: { date: at, category: 'fact' },
    now: at,
    contentChars: maxContentChars,
    instants: 'epoch',
  };
  const { problems, report } = collectProblems();
  const read = readMemory(
    { ...rest, tenant, user: given.user ?? user, id, date, source },
    memoryRules,
    report,
  );
  const [first, ...more] = problems;
  if (first) return refused(given, rules, [first, ...more]);
  if (!read) throw new TypeError('a memory was refused without a reason');
  return { ok: true, record: read.record };
}

function refused(
  given: GivenMemory,
  rules: GivenRules,
  [first, ...more]: readonly [Problem, ...Problem[]],
): Extract<ReadMemory, { ok: false }> {
  return {
    ok: false,
    user: given.user ?? rules.user ?? null,
    externalId: given.externalId ?? null,
    reason: reasonOf([renamed(first), ...more.map(renamed)]),
  };
}

/** Every message begins with the name of its field. */
function renamed(problem: Problem): Problem {
  const { field, message } = problem;
  const name = field === null ? undefined : FIELD_NAMES.get(field);
  if (field === null || name === undefined) return problem;
  return { ...problem, field: name, message: name + message.slice(field.length) };
}
