import type { Violation } from '../types.ts';
import type { Rows } from './rows.ts';

type Row = Record<string, unknown>;
const OPEN = ['planned', 'generated', 'review'];

/** What must hold after any order of anything, of the rows of one user. */
export function findUnsound(before: Rows, after: Rows): Violation[] {
  return [
    ...sourcesOnce(after),
    ...fusionsWhole(after),
    ...claimsInOrder(after),
    ...journalComplete(before, after),
  ];
}

const of = (rows: Rows, table: string): readonly Row[] => rows.get(table) ?? [];

/** Each memory is superseded at most once, by a memory that is there, and says so in one way everywhere. */
function sourcesOnce(rows: Rows): Violation[] {
  const memories = new Map(of(rows, 'memories').map((row) => [row.id, row]));
  const found: Violation[] = [];
  for (const memory of memories.values()) {
    const say = (detail: string) =>
      found.push({ invariant: 'source superseded once', detail: `${memory.id}: ${detail}` });
    const holders = of(rows, 'fusion_sources').filter((row) => row.memory_id === memory.id && row.superseded);
    if (holders.length > 1) say(`by ${holders.length} fusions`);
    const superseded = memory.memory_type === 'superseded';
    if (superseded === memory.is_latest) say('latest and superseded do not fit');
    if (superseded !== (memory.superseded_by !== null))
      say('superseded by nobody, or not superseded by somebody');
    if (superseded && !memories.has(memory.superseded_by)) say('its successor is not there');
    for (const holder of holders) {
      const fusion = of(rows, 'fusions').find((row) => row.key === holder.fusion_key);
      if (fusion?.status !== 'applied') say(`by a fusion that is ${fusion?.status ?? 'gone'}`);
      if (memory.superseded_by !== fusion?.derived_id) say('the ledger names another successor than the row');
    }
    const lineage = of(rows, 'relations').filter(
      ({ target_id, relation_type }) => target_id === memory.id && relation_type === 'DERIVES',
    );
    if (lineage.length > 1) say(`${lineage.length} memories derive from it`);
  }
  return found;
}

/** An applied fusion has all of its parts, from what was planned; one that is not applied has none. */
function fusionsWhole(rows: Rows): Violation[] {
  const found: Violation[] = [];
  const memories = new Map(of(rows, 'memories').map((row) => [row.id, row]));
  const made = new Map<unknown, unknown[]>();
  for (const fusion of of(rows, 'fusions')) {
    const say = (detail: string) =>
      found.push({ invariant: 'fusion whole', detail: `${String(fusion.key).slice(0, 8)}: ${detail}` });
    const sets = of(rows, 'change_sets').filter(
      (set) =>
        set.fusion_key === fusion.key &&
        ['fusion', 'merge'].includes(String(set.kind)) &&
        set.undone_by === null,
    );
    const applied = fusion.status === 'applied';
    if (fusion.status !== 'forgotten' && sets.length !== (applied ? 1 : 0))
      say(`${fusion.status} with ${sets.length} change sets that stand`);
    const parts = of(rows, 'fusion_sources').filter((row) => row.fusion_key === fusion.key);
    if (!applied) {
      if (parts.some((row) => row.superseded)) say(`${fusion.status}, yet it supersedes`);
      continue;
    }
    if (fusion.kind === 'fusion')
      made.set(fusion.derived_id, [...(made.get(fusion.derived_id) ?? []), fusion.key]);
    if (!memories.has(fusion.derived_id)) say('what it made is not there');
    const covered = parts.filter((row) => row.superseded);
    if (covered.length === 0) say('applied without superseding anything');
    for (const part of covered) {
      const source = memories.get(part.memory_id);
      if (source?.content_hash !== part.content_hash) say('made of other words than its source has');
      const linked = of(rows, 'relations').some(
        (row) => row.source_id === fusion.derived_id && row.target_id === part.memory_id,
      );
      if (!linked) say('without lineage to a source');
    }
  }
  for (const [id, keys] of made) {
    if (keys.length > 1)
      found.push({ invariant: 'fusion whole', detail: `${id}: made by ${keys.length} fusions` });
  }
  for (const memory of memories.values()) {
    if (memory.memory_type !== 'derived' || made.has(memory.id)) continue;
    found.push({ invariant: 'fusion whole', detail: `${memory.id}: derived by no fusion` });
  }
  return found;
}

/** Claims belong to fusions that are under way, on memories that can still be fused as they were planned. */
function claimsInOrder(rows: Rows): Violation[] {
  const found: Violation[] = [];
  const memories = new Map(of(rows, 'memories').map((row) => [row.id, row]));
  const claims = of(rows, 'fusion_sources').filter((row) => row.live);
  for (const claim of claims) {
    const say = (detail: string) =>
      found.push({
        invariant: 'claims in order',
        detail: `${String(claim.fusion_key).slice(0, 8)} on ${claim.memory_id}: ${detail}`,
      });
    const status = of(rows, 'fusions').find((row) => row.key === claim.fusion_key)?.status;
    if (!OPEN.includes(String(status))) say(`live although the fusion is ${status ?? 'gone'}`);
    if (claims.some((other) => other !== claim && other.memory_id === claim.memory_id)) say('claimed twice');
    if (!memories.has(claim.memory_id)) say('on a memory that is not there');
  }
  return found;
}

const JOURNALLED = ['memories', 'relations', 'conflicts'] as const;

/**
 * From the rows as they were, the journal leads to the rows as they are: each change finds what it says was there before, and nothing has
 * changed without one. What was forgotten has no images any more, and what is computed or only counted is not written down.
 */
function journalComplete(before: Rows, after: Rows): Violation[] {
  const forgotten = new Set(of(after, 'tombstones').map((row) => row.memory_id));
  const found: Violation[] = [];
  for (const table of JOURNALLED) {
    const key = (row: Row) =>
      table === 'relations' ? `${row.source_id} ${row.target_id} ${row.relation_type}` : String(row.id);
    const known = new Set(of(before, 'changes').map((row) => row.change_set_id));
    const changes = of(after, 'changes').filter(
      (row) => row.table_name === table && !known.has(row.change_set_id),
    );
    const old = new Map(of(before, table).map((row) => [key(row), row]));
    const now = new Map(of(after, table).map((row) => [key(row), row]));
    for (const id of new Set([...old.keys(), ...now.keys()])) {
      const own = changes.filter((row) => key(row.row_key as Row) === id);
      const bare = own.some((row) => row.before === null && row.after === null);
      if (bare || [...forgotten].some((gone) => id.includes(String(gone)))) continue;
      if (leads(old.get(id) ?? null, now.get(id) ?? null, own)) continue;
      found.push({
        invariant: 'journal complete',
        detail: `${table} ${id}: ${own.length} changes do not lead to what is there`,
      });
    }
  }
  return found;
}

/** Counts, owners and what is computed; and the part in fusions that the image of a memory which goes holds besides. */
const LEFT_OUT = new Set([
  'fusion_sources',
  'updated_at',
  'version',
  'words',
  'tenant',
  'user_id',
  'crosses_080_at',
  'crosses_050_at',
  'crosses_010_at',
  'crosses_005_at',
]);
const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Whether the changes, in some order, lead from one row to the other. */
function leads(from: Row | null, to: Row | null, changes: readonly Row[]): boolean {
  if (changes.length === 0) return alike(from, to);
  return changes.some((change, i) => {
    const image = change.before as Row | null;
    const fits = image === null ? from === null : from !== null && holds(from, image);
    if (!fits) return false;
    const then = change.after === null ? null : { ...from, ...(change.after as Row) };
    return leads(then, to, changes.toSpliced(i, 1));
  });
}

const holds = (row: Row, image: Row): boolean =>
  Object.entries(image).every(([column, value]) => LEFT_OUT.has(column) || same(row[column], value));

function alike(one: Row | null, other: Row | null): boolean {
  if (one === null || other === null) return one === other;
  return holds(one, other) && holds(other, one);
}
