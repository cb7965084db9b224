import {
  type ConflictView,
  type Database,
  type FusionDetail,
  type FusionView,
  listConflicts,
  listFusions,
  type RecallResult,
  readFusion,
} from '@slowwave/db';
import type { Models } from '@slowwave/models';
import { laneText } from '@slowwave/producer';
import { plural } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { askQuestion, DAYS_END, dayOf, EXAMPLE_TENANT, type FoundBefore, type Person } from './live.ts';

const FUSIONS_READ = 500;
const STATEMENTS_SHOWN = 3;
const SOURCES_SHOWN = 4;
const FOUND_SHOWN = 2;
/** Characters of a text that is shown in one line. */
const LINE_MAX = 130;

/** What a person's days left in the database. */
interface Left {
  person: Person;
  statements: FusionView[];
  closed: FusionView[];
  /** Notes that are gone from the answers of recall, in the place of which a statement or an equal note stands. */
  superseded: number;
}

type Refused = {
  person: Person;
  fusion: FusionDetail;
  proposal: NonNullable<FusionDetail['proposals']>[number];
};

export interface Story {
  database: Database;
  models: Models;
  people: readonly Person[];
  /** What recall found before the days, for each person; empty where these days were lived by an earlier process. */
  before: FoundBefore;
}

/**
 * Tells what the days of the example people left: for each how many statements stand for how many notes, three statements in full, one that
 * was refused, a contradiction that waits, and what recall finds for one question.
 */
export async function tellExamples(story: Story, terminal: Terminal): Promise<void> {
  const { database, people } = story;
  const left = await Promise.all(people.map((person) => readLeft(database, person)));
  for (const { person, statements, superseded } of left) tellPerson(terminal, person, statements, superseded);
  terminal.line();
  await tellStatements(story, terminal, left);
  const refused = await findRefused(database, left);
  if (refused) tellRefused(terminal, refused);
  const [conflict] = await database.withTenant(EXAMPLE_TENANT, (tx) =>
    listConflicts(tx, { tenant: EXAMPLE_TENANT, status: 'open', limit: 1 }),
  );
  if (conflict) tellConflict(terminal, conflict);
  await tellQuestion(story, terminal, left);
}

async function readLeft(database: Database, person: Person): Promise<Left> {
  const fusions = await database.withTenant(EXAMPLE_TENANT, (tx) =>
    listFusions(tx, { tenant: EXAMPLE_TENANT, user: person.user, limit: FUSIONS_READ }),
  );
  const applied = fusions.filter(({ status }) => status === 'applied');
  return {
    person,
    statements: applied.filter(({ kind, request }) => kind !== 'merge' && request !== null),
    closed: fusions.filter(({ status }) => status === 'closed'),
    superseded: applied.flatMap(({ sources }) => sources).filter((source) => source.superseded).length,
  };
}

function tellPerson(
  terminal: Terminal,
  { user, start }: Person,
  statements: readonly FusionView[],
  superseded: number,
): void {
  const [first, last] = [dayOf(start), dayOf(DAYS_END - 1)];
  const days = first === last ? first : `${first} to ${last}`;
  const what = `${plural(statements.length, 'statement')} now stand for ${plural(superseded, 'note')}`;
  terminal.line(`  ${terminal.bold(user.padEnd(6))} ${days.padEnd(18)} ${what}`);
}

/** The statement of the most notes of each person, those with the most people first. */
async function tellStatements(
  { database }: Pick<Story, 'database'>,
  terminal: Terminal,
  left: readonly Left[],
): Promise<void> {
  const most = left.flatMap(({ person, statements }) => {
    const [first] = statements.toSorted(
      (one, other) => other.sources.length - one.sources.length || one.key.localeCompare(other.key),
    );
    return first ? [{ person, key: first.key, size: first.sources.length }] : [];
  });
  const shown = most.toSorted((one, other) => other.size - one.size).slice(0, STATEMENTS_SHOWN);
  for (const { person, key } of shown) {
    const fusion = await detailOf(database, person, key);
    if (!fusion?.derived) continue;
    terminal.line(`${terminal.bold(person.user)}, made on ${dayOf(fusion.updatedAt)}:`);
    tellSources(terminal, fusion.sources);
    terminal.line(`  ${terminal.bold('⇒')} ${fusion.derived.content.replaceAll('\n', '; ')}`);
  }
}

const detailOf = (database: Database, { user }: Person, key: string): Promise<FusionDetail | null> =>
  database.withTenant(EXAMPLE_TENANT, (tx) =>
    readFusion(tx, { tenant: EXAMPLE_TENANT, user, key, at: DAYS_END }),
  );

function tellSources(terminal: Terminal, sources: FusionDetail['sources']): void {
  const told = sources.toSorted((one, other) => one.documentDate - other.documentDate);
  for (const { content, documentDate } of told.slice(0, SOURCES_SHOWN)) {
    terminal.line(`  ${terminal.dim(`- ${dayOf(documentDate).padEnd(6)}`)} ${short(content)}`);
  }
  if (told.length > SOURCES_SHOWN) terminal.line(terminal.dim(`  … and ${told.length - SOURCES_SHOWN} more`));
}

/** A proposal that was refused with a reason in words, by the judge rather than for a hard fact; null where all were accepted. */
async function findRefused(database: Database, left: readonly Left[]): Promise<Refused | null> {
  let floored: Refused | null = null;
  for (const { person, closed } of left) {
    for (const { key, kind } of closed) {
      // A note that says a statement again is no proposal of the writer's.
      if (kind === 'restatement') continue;
      const fusion = await detailOf(database, person, key);
      for (const proposal of fusion?.proposals ?? []) {
        if (proposal.accepted || proposal.details.length === 0) continue;
        if (proposal.lane !== 'floor') return { person, fusion: fusion!, proposal };
        floored ??= { person, fusion: fusion!, proposal };
      }
    }
  }
  return floored;
}

function tellRefused(terminal: Terminal, { person, fusion, proposal }: Refused): void {
  const said = proposal.details.map((detail) => `“${detail}”`).join(', ');
  terminal.line(
    `${terminal.bold(person.user)}, refused on ${dayOf(fusion.updatedAt)}: ${laneText(proposal.lane)}: ${said}`,
  );
  tellSources(
    terminal,
    fusion.sources.filter(({ id }) => proposal.sourceIds.includes(id)),
  );
  terminal.line(`  ${terminal.bold('✗')} ${short(proposal.text)}`);
}

function tellConflict(terminal: Terminal, { user, slot, a, b }: ConflictView): void {
  const about = slot ? ` (${slot})` : '';
  terminal.line(`${terminal.bold(user)}, a contradiction that waits for a person${about}:`);
  for (const { content, documentDate } of [a, b]) {
    terminal.line(`  ${terminal.dim(`? ${dayOf(documentDate).padEnd(6)}`)} ${short(content)}`);
  }
}

/** The question of the first person for whom recall now finds a statement. */
async function tellQuestion(
  { database, models, before }: Story,
  terminal: Terminal,
  left: readonly Left[],
): Promise<void> {
  for (const { person, statements } of left) {
    const made = new Set(statements.flatMap(({ derived }) => derived?.id ?? []));
    const [was, is] = [before.get(person.user), await askQuestion({ database, models }, person, DAYS_END)];
    const [first] = is;
    if (!was || !first || !made.has(first.id)) continue;
    terminal.line(`Asked “${person.question}”, recall found before`);
    tellFound(terminal, was);
    terminal.line('and finds now');
    tellFound(terminal, is);
    terminal.line();
    return;
  }
}

function tellFound(terminal: Terminal, found: readonly RecallResult[]): void {
  for (const [place, { content }] of found.slice(0, FOUND_SHOWN).entries())
    terminal.line(`  ${place + 1}. ${short(content)}`);
}

/** The beginning of a text, in one line. */
function short(text: string): string {
  const points = [...text.replaceAll('\n', '; ')];
  return points.length <= LINE_MAX ? points.join('') : `${points.slice(0, LINE_MAX - 1).join('')}…`;
}
