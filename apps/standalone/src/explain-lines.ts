import type { HistoryEntry, MemoryExplanation } from '@slowwave/db';

const DAY_MS = 86_400_000;
const HISTORY_SHOWN = 10;
const RELATIVES_SHOWN = 10;

/** A heading with the lines below it. */
export interface Section {
  title: string;
  lines: string[];
}

/**
 * In plain words: how a memory's prominence came about, each factor with its number, which band that is, and when it crosses a
 * threshold next. Everything is as of the explanation's own instant.
 */
export function explainSections(memory: MemoryExplanation): Section[] {
  return [
    { title: headingOf(memory), lines: [`“${printable(memory.content)}”`, ...stateLines(memory)] },
    { title: 'How it came about', lines: causeLines(memory) },
    { title: 'What is ahead', lines: aheadLines(memory) },
    { title: 'What happened to it', lines: historyLines(memory) },
  ].filter(({ lines }) => lines.length > 0);
}

/** Control characters, which a terminal would obey, are shown as a mark. */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd').replaceAll('\n', '\n   ');
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** At most four digits behind the point, fewer where they are zeros; what is smaller still as a power. */
export function numberOf(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.0001) return value.toExponential(1);
  return String(Number(value.toFixed(4)));
}

/** How far away an instant is, in the largest unit that says enough. */
export function distanceOf(ms: number): string {
  const days = ms / DAY_MS;
  if (days >= 730) return `${Math.round(days / 365)} years`;
  if (days >= 2) return `${Math.round(days)} days`;
  const hours = Math.round(ms / 3_600_000);
  if (hours >= 2) return `${hours} hours`;
  const minutes = Math.max(0, Math.round(ms / 60_000));
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

const BAND_WORDS = {
  active: 'active (0.5 and above)',
  dormant: 'dormant (0.1 to 0.5)',
  archived: 'faded (below 0.1)',
} as const;

function headingOf({ id, externalId, user, tenant }: MemoryExplanation): string {
  const name = externalId === null || externalId === id ? id : `${externalId} (${id})`;
  return `memory ${printable(name)} of ${user}${tenant === 'default' ? '' : `, tenant ${tenant}`}`;
}

function stateLines(memory: MemoryExplanation): string[] {
  const { params, prominence, band, origin, at } = memory;
  const lines = [
    `${params.memoryType.replace('_', ' ')} ${params.category} of importance ${params.importance}, from ${origin}`,
    `prominence ${numberOf(prominence)} on ${dayOf(at)}: ${BAND_WORDS[band]}`,
  ];
  const { from, to } = memory.said;
  if (dayOf(from) !== dayOf(to)) lines.push(`said from ${dayOf(from)} to ${dayOf(to)}`);
  if (memory.supersededBy !== null) lines.push(`superseded by ${memory.supersededBy}`);
  if (memory.archivedAt !== null) lines.push(`archived on ${dayOf(memory.archivedAt)}`);
  const { count, lastAt } = memory.recalls;
  const times = count === 1 ? 'once' : `${count} times`;
  lines.push(
    count === 0
      ? 'never recalled'
      : `recalled ${times}${lastAt === null ? '' : `, last on ${dayOf(lastAt)}`} (being recalled does not raise it)`,
  );
  return lines;
}

/** Each factor of the formula, and the formula with the numbers in it. */
function causeLines(memory: MemoryExplanation): string[] {
  const { params, terms, prominence } = memory;
  if (params.memoryType === 'static_profile') {
    return [
      'it is part of the static profile, whose prominence is always 1: neither age nor demotion counts',
    ];
  }
  const { peak, confirmations } = params;
  const { rate, stability, floor, ageDays, demotion } = terms;
  const days = Math.max(0, ageDays - 1);
  const kept = numberOf(rate * 100);
  return [
    `peak       ${numberOf(peak)}: where it stood on ${dayOf(params.anchorAt)}, when it was last written, confirmed or set`,
    `rate       ${numberOf(rate)}: ${rateWords(memory)} ${kept} % of it a day`,
    `stability  ${numberOf(stability)}: ${stabilityWords(confirmations, stability)}`,
    `floor      ${numberOf(floor)}: ${floorWords(floor)}`,
    `age        ${numberOf(Math.max(0, ageDays))} days, of which ${numberOf(days)} count (the first one is free)`,
    `demotion   ${numberOf(demotion)}: ${demotionWords(demotion)}`,
    `${numberOf(demotion)} × (${numberOf(floor)} + (${numberOf(peak)} − ${numberOf(floor)}) × ${numberOf(rate)}^(${numberOf(days)} / ${numberOf(stability)})) = ${numberOf(prominence)}`,
  ];
}

function rateWords({ params }: MemoryExplanation): string {
  switch (params.memoryType) {
    case 'derived':
      return `a derived ${params.category} keeps`;
    case 'superseded':
      return 'what is superseded keeps';
    case 'dynamic_profile':
      return 'the dynamic profile keeps';
    default:
      return `${params.category === 'event' || params.category === 'insight' ? 'an' : 'a'} ${params.category} keeps`;
  }
}

function stabilityWords(confirmations: number, stability: number): string {
  if (confirmations === 0) return 'never confirmed; each confirmation slows the fading';
  const times = confirmations === 1 ? 'once' : `${confirmations} times`;
  return `confirmed ${times}, so it fades ${numberOf(stability)} times more slowly`;
}

function floorWords(floor: number): string {
  return floor > 0
    ? 'important facts and relationships fade no further than this'
    : 'it may fade to nothing (only facts and relationships of importance 8 or more have a floor)';
}

function demotionWords(demotion: number): string {
  return demotion === 1
    ? 'never demoted'
    : 'lowered by hand or by the retrieval audit; a confirmation takes that back';
}

/** What falling below a threshold means. */
function crossingWords(threshold: number, mayBeFused: boolean): string {
  const fused = (words: string) => (mayBeFused ? words : '');
  switch (threshold) {
    case 0.8:
      return fused(': sleep may fuse it from then on');
    case 0.5:
      return `: dormant${fused(', and deep may fuse it from then on')}`;
    case 0.1:
      return `: faded${fused(', and deep no longer fuses it')}`;
    case 0.05:
      return fused(': sleep no longer fuses it either');
    default:
      return '';
  }
}

function aheadLines(memory: MemoryExplanation): string[] {
  const { at, crossings, nextCrossingAt, expiresAt, params } = memory;
  const regular = params.memoryType === 'regular' || params.memoryType === 'dynamic_profile';
  const mayBeFused = regular && memory.isLatest && memory.archivedAt === null;
  const lines = crossings.map(({ threshold, at: crossed, state }) => {
    const below = `below ${threshold}`;
    if (state === 'never') return `${below} never, unless something changes`;
    if (state === 'past')
      return `${below} ${crossed === null ? 'from its peak on' : `since ${dayOf(crossed)}`}`;
    const next = crossed === nextCrossingAt ? ' (next)' : '';
    const words = crossingWords(threshold, mayBeFused);
    return `${below} on ${dayOf(crossed!)}, in ${distanceOf(crossed! - at)}${next}${words}`;
  });
  if (nextCrossingAt === null) lines.push('it crosses no threshold any more, unless something changes');
  if (expiresAt !== null) {
    lines.push(expiresAt > at ? `expires on ${dayOf(expiresAt)}` : `expired on ${dayOf(expiresAt)}`);
  }
  return lines;
}

function historyLines({ history, sources, derived, auditedAt }: MemoryExplanation): string[] {
  const lines = history.slice(0, HISTORY_SHOWN).map(historyLine);
  if (history.length > HISTORY_SHOWN) lines.push(`… and ${history.length - HISTORY_SHOWN} more, see --json`);
  const named = (relatives: MemoryExplanation['sources']) => {
    const names = relatives
      .slice(0, RELATIVES_SHOWN)
      .map(({ id, externalId }) => printable(externalId ?? id));
    const more = relatives.length - names.length;
    return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  };
  if (sources.length > 0) lines.push(`derived from ${named(sources)}`);
  if (derived.length > 0) lines.push(`gone into ${named(derived)}`);
  if (auditedAt !== null) lines.push(`last looked at by the retrieval audit on ${dayOf(auditedAt)}`);
  return lines;
}

function historyLine({ at, kind, before, after }: HistoryEntry): string {
  const changes = (['peak', 'demotion', 'confirmations', 'memoryType'] as const).flatMap((name) => {
    const [from, to] = [before?.[name], after?.[name]];
    if (to === undefined || from === to) return [];
    const shown = (value: string | number) => (typeof value === 'number' ? numberOf(value) : value);
    return [
      `${name === 'memoryType' ? 'type' : name} ${from === undefined ? '' : `${shown(from)} → `}${shown(to)}`,
    ];
  });
  return `${dayOf(at)} ${kind}${changes.length > 0 ? `: ${changes.join(', ')}` : ''}`;
}
