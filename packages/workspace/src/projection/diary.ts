import type { Night, NightMemory } from '@slowwave/db';
import { escapeLine } from './markers.ts';

/** Characters of a memory in the diary. */
const TEXT_CHARS_MAX = 300;

const times = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function sentenceOf(night: Night): string {
  const said = [
    night.fused > 0 ? `fused ${times(night.fused, 'group of memories', 'groups of memories')}` : null,
    night.merged > 0 ? `made ${times(night.merged, 'duplicate', 'duplicates')} one` : null,
    night.conflicts > 0
      ? `found ${times(night.conflicts, 'conflict', 'conflicts')} (${night.open} waiting for an answer)`
      : null,
    night.connected > 0 ? `thought of ${times(night.connected, 'connection', 'connections')}` : null,
    night.reflected > 0 ? `noticed ${times(night.reflected, 'thing', 'things')}` : null,
  ].filter((part) => part !== null);
  if (said.length === 0) return 'A quiet night: nothing new.';
  const sentence = said.join(', ');
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
}

function listOf(title: string, memories: readonly NightMemory[]): string[] {
  const lines = memories.flatMap(({ id, content, sources }) => {
    const text = escapeLine(content, TEXT_CHARS_MAX);
    const from = sources > 0 ? ` (of ${sources})` : '';
    return text === '' ? [] : [`- ${text}${from} <!-- slowwave:${id} -->`];
  });
  return lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines];
}

/** The day of an instant, as in 2026-05-01. @param at epoch ms @param timezone an IANA name */
function dayOf(at: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** The lines of one night's entry, without markers. */
export function nightEntry(night: Night, when: { at: number; timezone: string }): string[] {
  return [
    `## ${dayOf(when.at, when.timezone)}`,
    '',
    sentenceOf(night),
    ...listOf('Fused', night.derived),
    ...listOf('Noticed', night.observations),
  ];
}
