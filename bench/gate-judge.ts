/** A labelled row as the gate of the tiers sees it: a cluster of plain memories, each of them claimed by the model. */
import { createHash } from 'node:crypto';
import { type Candidate, checkGate } from '@slowwave/fusion';
import type { LabelledRow, LabelledSource, RowVerdict } from './gate-score.ts';

/** So many that the share of one run is never what a row fails for. */
const LATEST_COUNT = 1_000_000;

/** Everything but text and date is what most memories have: no check of the gate looks at it. */
function memberOf({ content, documentDate }: LabelledSource, index: number): Candidate {
  return {
    id: `source-${index + 1}`,
    contentHash: createHash('sha256').update(content).digest('hex'),
    version: 1,
    content,
    category: 'fact',
    memoryType: 'regular',
    origin: 'user',
    visibility: 'private',
    importance: 5,
    confidence: 0.8,
    trust: 0.8,
    prominence: 0.3,
    confirmations: 0,
    documentDate,
    documentDay: new Date(documentDate).toISOString().slice(0, 10),
    eventDate: null,
    validFrom: null,
    validTo: null,
    createdAt: documentDate,
  };
}

/** What the gate says of a row whose sources are all claimed. Sources are numbered from 1, days taken in UTC. */
export function judgeRow({ sources, summary }: LabelledRow): RowVerdict {
  const members = sources.map(memberOf);
  const claimed = members.map((_, index) => index + 1);
  const context = { latestCount: LATEST_COUNT, alreadySuperseded: 0 };
  const verdict = checkGate({ members, relations: [] }, summary, claimed, context);
  if (!verdict.ok) return { refused: verdict.reason };
  return { covered: claimed.filter((number) => verdict.coveredIds.includes(members[number - 1]!.id)) };
}
