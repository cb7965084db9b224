import type { TimelineRun } from '@slowwave/db';
import { clockText, counted, instantText, minuteOfDay } from '../format.ts';
import { type Html, html } from '../html.ts';

const DAY_MINUTES = 1_440;
const NOON = 720;
const HEIGHT = 22;
const ROWS = { sleep: 1, deep: 8, light: 15 } as const;

export interface QuietHours {
  timezone: string;
  quietStart: number;
  quietEnd: number;
}

/** Where a minute of the day stands between one noon and the next. */
const sinceNoon = (minute: number): number => (minute + NOON) % DAY_MINUTES;

/** The day to which a night leads, YYYY-MM-DD: from noon on it is the next one. */
export function nightOf(
  at: number,
  zone: string,
  localDay: (at: number, zone: string) => string | null,
): string {
  const shifted = minuteOfDay(at, zone) >= NOON ? at + 12 * 3_600_000 : at;
  return localDay(shifted, zone) ?? '';
}

/** The runs of one night from noon to noon, the sleep tier on top; quiet hours are shaded. Said in words beside it. */
export function nightTrack(runs: readonly TimelineRun[], quiet: QuietHours): Html {
  const { timezone, quietStart, quietEnd } = quiet;
  const shades = quietStart === quietEnd ? [] : spansOf(sinceNoon(quietStart), sinceNoon(quietEnd));
  const bars = runs.map((run) => {
    const start = run.startedAt ?? run.requestedAt;
    const x = sinceNoon(minuteOfDay(start, timezone));
    const minutes = ((run.finishedAt ?? start) - start) / 60_000;
    const width = Math.min(DAY_MINUTES - x, Math.max(run.tier === 'light' ? 5 : 12, minutes));
    const kind = run.status === 'failed' ? 'run-failed' : `run-${run.tier}`;
    return html`<rect class="${run.preview ? 'preview' : kind}" x="${x}" y="${ROWS[run.tier]}" width="${width.toFixed(1)}" height="6"></rect>`;
  });
  const tiers = (['sleep', 'deep', 'light'] as const).map((tier) =>
    counted(runs.filter((run) => run.tier === tier).length, `${tier} run`),
  );
  return html`<svg class="track" viewBox="0 0 ${DAY_MINUTES} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="From noon to noon: ${tiers.join(', ')}">${shades.map(
    ([from, until]) =>
      html`<rect class="quiet-hours" x="${from}" y="0" width="${until - from}" height="${HEIGHT}"></rect>`,
  )}<line class="axis" x1="0" x2="${DAY_MINUTES}" y1="${HEIGHT - 0.5}" y2="${HEIGHT - 0.5}"></line><line class="axis" x1="${NOON}" x2="${NOON}" y1="0" y2="${HEIGHT}"></line>${bars}</svg>`;
}

/** Quiet hours that run over noon are two spans. */
function spansOf(from: number, until: number): [number, number][] {
  return from < until
    ? [[from, until]]
    : [
        [from, DAY_MINUTES],
        [0, until],
      ];
}

export function quietText({ timezone, quietStart, quietEnd }: QuietHours): string {
  return quietStart === quietEnd
    ? `none (${timezone})`
    : `${clockText(quietStart)} to ${clockText(quietEnd)} (${timezone})`;
}

/** "Fri 20 → Sat 21 Nov". @param day YYYY-MM-DD to which the night leads */
export function nightName(day: string): string {
  const end = Date.parse(`${day}T00:00:00Z`);
  const short = (at: number) =>
    instantText(at, 'UTC', 'day')
      .replace(/,? \d{4}$/, '')
      .replace(',', '');
  return `${short(end - 86_400_000).replace(/ \p{L}+$/u, '')} → ${short(end)}`;
}
