import { type Html, html } from '../html.ts';

export const WIDTH = 760;
export const HEIGHT = 220;
export const LEFT = 34;
export const RIGHT = 12;
export const TOP = 12;
export const FLOOR = HEIGHT - 26;

/** Where an instant stands on a drawing that spans a time. */
export type Scale = (at: number) => number;

export function timeScale(from: number, until: number): Scale {
  const span = Math.max(1, until - from);
  return (at) => LEFT + ((at - from) / span) * (WIDTH - LEFT - RIGHT);
}

export const round = (value: number): string => value.toFixed(1);

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Days below a drawing, evenly spread, and the line of the present. */
export function timeAxis(scale: Scale, span: { from: number; until: number; now: number }): Html {
  const { from, until, now } = span;
  const marks = Array.from({ length: 5 }, (_, index) => from + ((until - from) * index) / 4);
  const labels = marks.map((at, index) => {
    const anchor = index === 0 ? 'start' : index === 4 ? 'end' : 'middle';
    return html`<text x="${round(scale(at))}" y="${FLOOR + 17}" text-anchor="${anchor}">${DAY.format(at)}</text>`;
  });
  const today = round(scale(now));
  return html`<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${FLOOR + 0.5}" y2="${FLOOR + 0.5}"></line>${labels}<line class="now" x1="${today}" x2="${today}" y1="${TOP - 4}" y2="${FLOOR}"></line><text x="${round(scale(now) + 4)}" y="${TOP + 6}">now</text>`;
}
