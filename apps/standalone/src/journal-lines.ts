import type {
  ChangeSetView,
  Dependent,
  EditResult,
  Lineage,
  LineageBranch,
  LineageNode,
  UndoResult,
} from '@slowwave/db';
import { numberOf, printable } from './explain-lines.ts';
import { plural, when } from './print.ts';

/** Ids that one line names. */
const IDS_SHOWN = 20;

/** What was taken back, or would be. */
export function undoLines(result: UndoResult): string[] {
  const { status, direction, changeSets, restored, removed, relations, conflicts } = result;
  const verb = direction === 'undo' ? 'undone' : 'redone';
  const lines = changeSets.map(
    ({ id, kind, fusionKey }) =>
      `${status === 'would' ? 'would be ' : ''}${verb}: ${kind} ${id}${fusionKey === null ? '' : `, fusion ${fusionKey}`}`,
  );
  lines.push(`  ${plural(restored.length, 'memory', 'memories')} put back${idsOf(restored)}`);
  lines.push(`  ${plural(removed.length, 'memory', 'memories')} taken away${idsOf(removed)}`);
  if (relations > 0) lines.push(`  ${plural(relations, 'relation')} put back or taken away`);
  if (conflicts > 0) lines.push(`  ${plural(conflicts, 'conflict')} put back or taken away`);
  if (status === 'would') lines.push('nothing was written');
  return lines;
}

function idsOf(ids: readonly string[]): string {
  if (ids.length === 0) return '';
  const more = ids.length > IDS_SHOWN ? ` and ${ids.length - IDS_SHOWN} more` : '';
  return `: ${ids.slice(0, IDS_SHOWN).join(', ')}${more}`;
}

/** What stands in the way, newest first: the order in which to undo it. */
export function dependentLines(dependents: readonly Dependent[], user: string): string[] {
  return dependents.flatMap(({ changeSetId, kind, fusionKey, memoryIds, createdAt }) => [
    `  ${when(createdAt)} ${kind}${fusionKey === null ? '' : ` ${fusionKey}`}${idsOf(memoryIds).replace(':', ' over')}`,
    `    slowwave undo ${changeSetId} --user ${printable(user)}`,
  ]);
}

/** One line for each change set. */
export function journalLines(changeSets: readonly ChangeSetView[]): string[] {
  if (changeSets.length === 0) return ['nothing in the journal'];
  return changeSets.map((set) => {
    const { memories, relations, conflicts } = set.counts;
    const counts = [
      memories > 0 ? plural(memories, 'memory', 'memories') : null,
      relations > 0 ? plural(relations, 'relation') : null,
      conflicts > 0 ? plural(conflicts, 'conflict') : null,
    ].filter((part) => part !== null);
    const state = [
      set.undoes === null ? null : `of ${set.undoes}`,
      set.undoneBy === null ? null : `undone by ${set.undoneBy}`,
      set.imagesDroppedAt === null ? null : 'can no longer be undone',
      set.actor === null ? null : `by ${printable(set.actor)}`,
    ].filter((part) => part !== null);
    return [`${when(set.createdAt)}  ${set.kind.padEnd(10)} ${set.id}`, counts.join(', '), ...state]
      .filter((part) => part !== '')
      .join('  ');
  });
}

export function editLines({ id, before, version, undoneFusion, reopened }: EditResult): string[] {
  if (before === version) return [`${id}: it says so already, version ${version}`];
  const lines = [`${id}: version ${before} → ${version}`];
  if (undoneFusion !== null) lines.push(`  fusion ${undoneFusion} was undone for it`);
  if (reopened.length > 0) {
    lines.push(`  ${plural(reopened.length, 'memory', 'memories')} latest again${idsOf(reopened)}`);
  }
  return lines;
}

/** A tree in either direction. */
export function lineageLines(lineage: Lineage): string[] {
  const lines = [nodeLine(lineage)];
  if (lineage.madeOf.length > 0) lines.push('made of', ...treeLines(lineage.madeOf, '  '));
  if (lineage.madeInto.length > 0) lines.push('made into', ...treeLines(lineage.madeInto, '  '));
  const parted = lineage.parts.filter((part) => part.status !== 'applied');
  for (const { kind, key, status } of parted) lines.push(`part of a ${kind} that is ${status}: ${key}`);
  if (lineage.sessions.length > 0)
    lines.push(`rests on sessions ${lineage.sessions.map(printable).join(', ')}`);
  if (lineage.truncated) lines.push('… and more');
  return lines;
}

function treeLines(branches: readonly LineageBranch[], indent: string): string[] {
  return branches.flatMap((branch) => [
    `${indent}${branch.how} ${nodeLine(branch)}`,
    ...treeLines(branch.next, `${indent}  `),
  ]);
}

function nodeLine({ id, state, content, memoryType, origin, trust, fusion }: LineageNode): string {
  if (content === null) return `${id} (${state})`;
  const facts = [
    memoryType,
    origin === null ? null : `from ${origin}`,
    trust === null ? null : `trust ${numberOf(trust)}`,
    state === 'here' ? null : state,
    fusion === null ? null : `${fusion.kind} ${fusion.key.slice(0, 12)} ${fusion.status}`,
  ].filter((part) => part !== null);
  return `${id} ${printable(content)} (${facts.join(', ')})`;
}
