import { createHash } from 'node:crypto';
import { DEFAULT_IMPORT_LIMITS, type MemoryRecord } from '@slowwave/db';
import type { MemoryCategory, Origin } from '@slowwave/fusion';
import { withoutControls } from '../inline.ts';
import type { ForeignOptions, ForeignProblemCode, ForeignResult } from './types.ts';

/** One memory as a foreign file tells it. */
export interface ForeignMemory {
  line: number;
  /** The name under which a second import knows it again. */
  id: string;
  content: string;
  category: MemoryCategory;
  /** 1 to 10 */
  importance?: number;
  source?: Origin;
  user?: string | null;
  session?: string | null;
  /** Epoch ms. */
  date: number;
  expiresAt?: number | null;
  metadata?: Record<string, unknown>;
}

const ID_CHARS_MAX = 200;

/** A name of the import: the foreign one where it can be one, else a hash of it. */
export function foreignId(format: string, id: string): string {
  const name = `${format}:${id}`;
  const usable =
    id.trim() !== '' && name.length <= ID_CHARS_MAX && !/[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(id);
  return usable ? name : `${format}:${hashOf(id)}`;
}

export function hashOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts), 'utf8').digest('hex');
}

/**
 * What the name of an entry without an id has beside its text: the day in UTC on which the file says that it was said, since the same words
 * of another day are another memory.
 * @param created as the file gives it; null: it does not say
 * @param date the instant of it, epoch ms
 */
export const dayOfEntry = (created: unknown, date: number): string[] =>
  created === null ? [] : [new Date(date).toISOString().slice(0, 10)];

/** Gathers what one file holds: the same id twice is one memory. */
export function createCollector(options: ForeignOptions) {
  const result: ForeignResult = { records: [], problems: [], skipped: [] };
  const ids = new Set<string>();

  function problem(line: number, code: ForeignProblemCode, message: string): void {
    result.problems.push({ line, code, message });
  }

  function skip(line: number, reason: string, count = 1): void {
    const before = result.skipped.find((one) => one.reason === reason);
    if (before) before.count += count;
    else result.skipped.push({ line, reason, count });
  }

  return {
    problem,
    skip,
    add(memory: ForeignMemory): void {
      const { line, id, category, date, importance = 5, source = 'import' } = memory;
      const content = withoutControls(memory.content).trim();
      const user = memory.user ?? options.user;
      if (content === '') {
        problem(line, 'empty', 'the memory has no text: it is left out');
        return;
      }
      if (content.length > DEFAULT_IMPORT_LIMITS.contentChars) {
        problem(line, 'too_long', 'the text is longer than a memory may be: split it into several');
        return;
      }
      if (user === null || user === '') {
        problem(line, 'missing', 'the entry does not say whose memory it is: name the user for such entries');
        return;
      }
      const known = JSON.stringify([user, id]);
      if (ids.has(known)) {
        skip(line, 'repeated');
        return;
      }
      ids.add(known);
      const record: MemoryRecord = {
        kind: 'memory',
        tenant: options.tenant,
        user,
        externalId: id,
        content,
        category,
        memoryType: 'regular',
        importance,
        confidence: 0.8,
        trust: 0.8,
        source,
        session: memory.session ?? null,
        visibility: 'private',
        date,
        eventDate: null,
        validFrom: null,
        validTo: null,
        expiresAt: memory.expiresAt ?? null,
        relations: [],
        metadata: memory.metadata ?? {},
      };
      result.records.push({ line, record });
    },
    result: () => result,
  };
}

export type Collector = ReturnType<typeof createCollector>;
