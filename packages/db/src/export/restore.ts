import type { Database } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { DEFAULT_IMPORT_LIMITS } from '../import/limits.ts';
import { linesOfBytes, linesOfText, type RawLine } from '../import/lines.ts';
import type { ImportSummary, LoadOptions } from '../import/summary.ts';
import { isOpen, WRONG_TENANT } from '../import/tenants.ts';
import { ScheduleError } from '../scheduling/errors.ts';
import { DOCUMENT_START, EXPORT_END } from './header.ts';
import { objectOfLine, ownerOfLine } from './read-line.ts';
import { RestoreRefused } from './refused.ts';
import { createRows, type RestoreLine } from './restore-rows.ts';
import type { RestoreRules } from './restore-rules.ts';
import { openUser, userOfLine } from './restore-user.ts';

const LIMITS = {
  lineBytes: DEFAULT_IMPORT_LIMITS.lineBytes,
  lines: Number.POSITIVE_INFINITY,
  /** A document may hold 16 MiB, and JSON may write one byte as six. */
  longer: { start: DOCUMENT_START, lineBytes: 128 * 1024 * 1024 },
};

type Options = RestoreRules & Pick<LoadOptions, 'at' | 'onProgress' | 'signal' | 'onlyTenant'>;

/**
 * Restores an export, header first: every user in one transaction, exactly as the file has it. A user who has anything here already,
 * or whose lines are not whole, is left as it was and told among the problems; the others are restored.
 * @throws DatabaseError when the database is gone; users before stay restored
 */
export async function restoreExport(
  database: Database,
  source: AsyncIterable<Uint8Array> | string,
  options: Options,
  summary: ImportSummary,
): Promise<void> {
  const lines = createLines(source, options, summary);
  let users = 0;
  try {
    // The header was looked at by whoever called.
    await lines.next();
    for (;;) {
      const ended = await step(database, lines, options, summary);
      if (ended === 'restored') users++;
      if (ended === 'end') break;
    }
  } finally {
    await lines.close();
  }
  summary.restored = { users, ...summary.restored };
}

type Lines = ReturnType<typeof createLines>;

function createLines(
  source: AsyncIterable<Uint8Array> | string,
  { signal }: Pick<LoadOptions, 'signal'>,
  summary: ImportSummary,
) {
  const raw: AsyncIterator<RawLine> | Iterator<RawLine> =
    typeof source === 'string' ? linesOfText(source, LIMITS) : linesOfBytes(source, LIMITS);
  /** The next line that is not blank; null at the end. @throws RestoreRefused */
  async function next(): Promise<RestoreLine | null> {
    for (;;) {
      signal?.throwIfAborted();
      const { value, done } = await raw.next();
      if (done) return null;
      summary.lines = value.line;
      if ('problem' in value) throw new RestoreRefused(value.problem.code, value.problem.message);
      if (value.text.trim() === '') continue;
      return { number: value.line, size: value.text.length, object: objectOfLine(value.text) };
    }
  }
  return { next, close: async () => void (await raw.return?.(undefined)) };
}

/** One user, or the end of the file. */
async function step(
  database: Database,
  lines: Lines,
  options: Options,
  summary: ImportSummary,
): Promise<'restored' | 'refused' | 'end'> {
  // Whether the user's last line was read: what is left of a refused one is passed over.
  const place = { closed: true, opened: 0 };
  try {
    const first = await lines.next();
    if (first === null)
      throw new RestoreRefused('cut_off', 'the file ends before its last line; it was cut off');
    if (first.object.kind === EXPORT_END) return 'end';
    place.closed = false;
    place.opened = first.number;
    await restoreUser(database, lines, first, { ...options, summary, place });
    return 'restored';
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.code === 'cut_off' && place.closed) {
      report(summary, summary.lines, refusal);
      return 'end';
    }
    report(summary, refusal.code === 'user_not_empty' ? place.opened : summary.lines, refusal);
    return (await passOver(lines, place)) ? 'refused' : 'end';
  }
}

function report(
  summary: ImportSummary,
  line: number,
  { code, message }: Pick<RestoreRefused, 'code' | 'message'>,
): void {
  summary.problemCount++;
  if (summary.problems.length < 1_000) summary.problems.push({ line, code, message });
}

/** What is wrong with the lines is told and the rest goes on; anything else ends the whole. */
function refusalOf(error: unknown): RestoreRefused {
  if (error instanceof RestoreRefused) return error;
  if (error instanceof ScheduleError) return new RestoreRefused(error.code, error.message);
  if (error instanceof DatabaseError && !error.retryable) {
    if (error.constraint === 'workspaces_root') {
      return new RestoreRefused(
        'folder_taken',
        'a folder of the user belongs to another workspace here; nothing of the user was restored',
      );
    }
    if (['constraint', 'invalid_text'].includes(error.code)) {
      const where = error.constraint === null ? '' : ` (${error.constraint})`;
      return new RestoreRefused(
        'not_storable',
        `the database refused a line shortly before this one${where}; nothing of the user was restored`,
      );
    }
  }
  throw error;
}

/** Reads on to the end of the user. @returns false at the end of the file */
async function passOver(lines: Lines, place: { closed: boolean }): Promise<boolean> {
  while (!place.closed) {
    const line = await lines.next().catch((error: unknown) => {
      if (error instanceof RestoreRefused) return 'refused' as const;
      throw error;
    });
    if (line === null) return false;
    if (line !== 'refused' && line.object.kind === 'end') place.closed = true;
  }
  return true;
}

interface UserWork extends Options {
  summary: ImportSummary;
  place: { closed: boolean };
}

async function restoreUser(
  database: Database,
  lines: Lines,
  first: RestoreLine,
  work: UserWork,
): Promise<void> {
  const { at, summary, place, onProgress } = work;
  if (first.object.kind !== 'user') throw new RestoreRefused('not_allowed', 'expected the line of a user');
  const owner = ownerOfLine(first.object);
  if (!isOpen(owner.tenant, work)) throw new RestoreRefused(WRONG_TENANT.code, WRONG_TENANT.message);
  const given = userOfLine(owner, first.object);
  const done = await database.withTenant(owner.tenant, async (tx) => {
    const isNew = await openUser(tx, given, at);
    const rows = createRows(tx, owner, work);
    for (let read = 1; ; read++) {
      const line = await lines.next();
      if (line === null)
        throw new RestoreRefused('cut_off', 'the file ends within the lines of this user; it was cut off');
      const { tenant, user } = ownerOfLine(line.object);
      if (tenant !== owner.tenant || user !== owner.user) {
        throw new RestoreRefused('wrong_owner', 'the line belongs to another user than the lines around it');
      }
      if (line.object.kind === 'end') {
        place.closed = true;
        if (line.object.lines !== read)
          throw new RestoreRefused('lines_missing', 'lines of this user are missing, or there are too many');
        break;
      }
      await rows.add(String(line.object.kind), line);
      if (read % 500 === 0)
        onProgress?.({ lines: summary.lines, inserted: summary.inserted + (rows.counts.memory ?? 0) });
    }
    await rows.finish();
    return { isNew, counts: rows.counts, notes: rows.notes };
  });
  add(summary, owner, done);
  for (const { line, ...note } of done.notes) report(summary, line, note);
  onProgress?.({ lines: summary.lines, inserted: summary.inserted });
}

function add(
  summary: ImportSummary,
  owner: { tenant: string; user: string },
  { isNew, counts }: { isNew: boolean; counts: Record<string, number> },
): void {
  summary.users.push(owner);
  if (isNew) summary.usersCreated++;
  summary.inserted += counts.memory ?? 0;
  summary.relations += counts.relation ?? 0;
  const restored = { ...summary.restored };
  for (const [kind, count] of Object.entries(counts)) restored[kind] = (restored[kind] ?? 0) + count;
  summary.restored = restored;
}
