import type { FusionDetail } from '@slowwave/db';
import { printable } from './explain-lines.ts';
import { when } from './print.ts';
import type { Terminal } from './terminal.ts';

type Style = Pick<Terminal, 'bold' | 'dim'>;

const fateOf = ({ superseded, changed, isLatest }: FusionDetail['sources'][number]): string =>
  [
    superseded ? 'superseded by it' : isLatest ? 'stands' : 'superseded by something else',
    ...(changed ? ['says something else by now'] : []),
  ].join(', ');

/** What was proposed and what the gate made of it, and what stands of it. */
function statementLines({ user, request, statements, proposals }: FusionDetail, { dim }: Style): string[] {
  const sourcesOf = (ids: readonly string[]) => `${ids.length} sources`;
  return [
    ...(request === null ? [] : [`one statement of fusion ${request}`]),
    ...statements.flatMap(({ key, status, content }) => [
      `${status}: ${content === null ? 'forgotten' : printable(content)}`,
      dim(`  slowwave fusions show ${key} --user ${printable(user)}`),
    ]),
    ...(proposals ?? [])
      .filter(({ accepted }) => !accepted)
      .flatMap(({ text, lane, details, sourceIds }) => [
        `refused (${lane}), of ${sourcesOf(sourceIds)}: ${printable(text)}`,
        ...(details.length > 0 ? [`  ${details.map(printable).join('; ')}`] : []),
      ]),
  ];
}

/** One fusion for people. */
export function fusionLines(fusion: FusionDetail, { bold, dim }: Style): string[] {
  const { key, kind, tier, status, errorCode, sources, derived } = fusion;
  const next = [
    ...(fusion.undoable ? [`slowwave undo ${key} --user ${printable(fusion.user)} takes it back`] : []),
    ...(fusion.redoable ? [`slowwave redo ${key} --user ${printable(fusion.user)} makes it good again`] : []),
    ...(status === 'review' ? [`slowwave approve ${key} --user ${printable(fusion.user)}, or reject`] : []),
  ];
  return [
    `${bold(`${kind} ${key}`)}: ${status}${errorCode === null ? '' : ` (${errorCode})`}, ${tier}, ${when(fusion.updatedAt)}`,
    dim(
      `  model ${fusion.model}, ${fusion.inputTokens} tokens in, ${fusion.outputTokens} out, attempt ${fusion.attempt}`,
    ),
    ...(fusion.runId === null ? [] : [dim(`  run ${fusion.runId}`)]),
    ...(fusion.decidedBy === null
      ? []
      : [dim(`  decided by ${printable(fusion.decidedBy)}, ${when(fusion.decidedAt)}`)]),
    ...sources.flatMap((source) => [
      `  - ${printable(source.content)}`,
      dim(`    ${source.id}, ${source.category}, ${fateOf(source)}`),
    ]),
    ...(derived === null ? [] : [`  ${bold('⇒')} ${printable(derived.content)}`]),
    ...statementLines(fusion, { bold, dim }).map((line) => `  ${line}`),
    ...next.map((line) => `  ${line}`),
  ];
}
