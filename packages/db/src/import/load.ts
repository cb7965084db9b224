import type { Database } from '../database.ts';
import { type InsertResult, insertRelations, type NewRelation } from '../memories/insert.ts';
import { type ImportBatch, importBatches } from './batches.ts';
import { type ImportedLine, parseImport } from './parse.ts';
import type { MemoryRecord, UserRecord } from './record.ts';
import { emptySummary, type ImportSummary, type LoadOptions } from './summary.ts';
import { isOpen, WRONG_TENANT } from './tenants.ts';
import { relationsOf, writeRecords } from './write.ts';

const PROBLEMS_KEPT = 1_000;

/** Loads a file of ordinary lines; see loadImport. */
export async function loadLines(
  database: Database,
  source: Parameters<typeof parseImport>[0],
  options: LoadOptions,
): Promise<ImportSummary> {
  const load = createLoad(database, options);
  for await (const batch of importBatches(parse(source, options))) {
    options.signal?.throwIfAborted();
    await load.take(batch);
    options.onProgress?.({ lines: load.summary.lines, inserted: load.summary.inserted });
  }
  await load.finish();
  return load.summary;
}

function parse(source: Parameters<typeof parseImport>[0], options: LoadOptions): AsyncIterable<ImportedLine> {
  const { format, fileName, defaults, at, maxContentChars } = options;
  return parseImport(source, {
    format,
    ...(fileName === undefined ? {} : { fileName }),
    // Whoever says neither when nor what kind means a fact of today.
    defaults: { date: at, category: 'fact', ...defaults },
    now: at,
    limits: { contentChars: maxContentChars },
  });
}

/** Gathers what one import did while it takes batch after batch. */
function createLoad(database: Database, options: LoadOptions) {
  const summary = emptySummary();
  const seen = new Set<string>();
  // Relations may point forward in the file: they wait, as ids, until every memory is there.
  const relations = new Map<string, NewRelation[]>();

  function report(line: number, code: string, message: string): void {
    summary.problemCount++;
    if (summary.problems.length < PROBLEMS_KEPT) summary.problems.push({ line, code, message });
  }

  function note(tenant: string, user: string): void {
    const name = JSON.stringify([tenant, user]);
    if (!seen.has(name)) summary.users.push({ tenant, user });
    seen.add(name);
  }

  async function take(batch: ImportBatch): Promise<void> {
    summary.lines = batch.lastLine;
    summary.unchanged += batch.duplicates.length;
    if (batch.questions > 0) {
      summary.leftOut = { question: (summary.leftOut?.question ?? 0) + batch.questions };
    }
    for (const { line, reason } of batch.bad) report(line, reason.code, reason.message);
    const items = [...batch.memories, ...batch.users];
    for (const tenant of new Set(items.map(({ record }) => record.tenant))) {
      if (isOpen(tenant, options)) await takeTenant(tenant, batch);
    }
    for (const { line, record } of items) {
      if (!isOpen(record.tenant, options)) report(line, WRONG_TENANT.code, WRONG_TENANT.message);
    }
  }

  async function takeTenant(tenant: string, batch: ImportBatch): Promise<void> {
    const mine = <R extends MemoryRecord | UserRecord>(items: { line: number; record: R }[]) =>
      items.filter(({ record }) => record.tenant === tenant);
    const lines = mine(batch.memories);
    const records = lines.map(({ record }) => record);
    const users = mine(batch.users).map(({ record }) => record);
    const result = await database.withTenant(tenant, (tx) =>
      writeRecords(tx, { tenant, users, memories: records, learnedFrom: 'import', at: options.at }),
    );
    summary.usersCreated += result.usersCreated;
    for (const record of [...users, ...records]) note(tenant, record.user);
    summary.inserted += result.inserted;
    judgeExisting(result, lines);
    keepRelations(tenant, records);
  }

  function judgeExisting(result: InsertResult, lines: { line: number; record: MemoryRecord }[]): void {
    const numbers = new Map(
      lines.map(({ line, record }) => [JSON.stringify([record.user, record.externalId]), line]),
    );
    for (const { user, externalId } of result.forgotten) {
      summary.forgotten++;
      report(
        numbers.get(JSON.stringify([user, externalId])) ?? 0,
        'forgotten',
        'the memory of this id was forgotten and is not written again; to keep it after all, give it another id',
      );
    }
    for (const { user, externalId, sameContent } of result.existing) {
      if (sameContent) summary.unchanged++;
      else {
        const line = numbers.get(JSON.stringify([user, externalId])) ?? 0;
        report(
          line,
          'id_taken',
          'a memory with this id is stored with another content; it was left as it is',
        );
      }
    }
  }

  function keepRelations(tenant: string, records: MemoryRecord[]): void {
    const kept = relations.get(tenant) ?? [];
    for (const record of records) kept.push(...relationsOf(record));
    relations.set(tenant, kept);
  }

  async function finish(): Promise<void> {
    for (const [tenant, given] of relations) {
      for (let start = 0; start < given.length; start += 5_000) {
        const page = given.slice(start, start + 5_000);
        const result = await database.withTenant(tenant, (tx) =>
          insertRelations(tx, { tenant, relations: page, at: options.at }),
        );
        summary.relations += result.inserted;
        summary.unresolvedRelations += result.unresolved.length;
      }
    }
  }

  return { summary, take, finish };
}
