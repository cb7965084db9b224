import { RUNS_PER_DAY_SHOWN, type ScheduledUser, type TimelineRun, totalsOf } from '@slowwave/db';
import { localDay } from '@slowwave/fusion';
import { nightName, nightOf, nightTrack } from '../drawings/night-track.ts';
import { counted, instantText, spanText } from '../format.ts';
import { type Html, html } from '../html.ts';
import { card, emptyState, timeOf } from '../parts.ts';
import { runPage, type Visit } from '../visit.ts';
import { stateMark, toned } from '../words.ts';

/** A user's nights, the newest first: each from noon to noon where they live, with its runs as bars and in words. */
export function nightsCard(
  visit: Visit,
  found: ScheduledUser,
  runs: readonly TimelineRun[],
  limit: number,
): Html {
  const nights = new Map<string, TimelineRun[]>();
  for (const run of runs) {
    const night = nightOf(run.startedAt ?? run.requestedAt, found.timezone, localDay);
    nights.set(night, [...(nights.get(night) ?? []), run]);
  }
  const shown = [...nights].sort(([one], [other]) => other.localeCompare(one)).slice(0, limit);
  const none = emptyState(
    'No night so far',
    'The sleep tier runs once a night, in quiet hours; a run can be asked for at once under Settings.',
  );
  return card(
    {
      id: 'nights',
      title: 'Nights',
      aside: `noon to noon in ${found.timezone}; quiet hours are shaded, the line is midnight`,
    },
    shown.length === 0
      ? none
      : html`<ol class="nights">${shown.map(([night, own]) => nightRow(visit, found, night, own))}</ol>${keys()}`,
  );
}

function nightRow(visit: Visit, found: ScheduledUser, night: string, runs: readonly TimelineRun[]): Html {
  const told = runs.filter(({ tier, status }) => tier !== 'light' || status === 'failed');
  const light = runs.length - told.length;
  const many = runs.filter(({ tier }) => tier === 'light').length >= RUNS_PER_DAY_SHOWN;
  return html`<li class="night" data-row=""><div class="day">${nightName(night)}</div><div>${nightTrack(runs, found)}<ul class="runs">${told.map(
    (run) => html`<li>${runText(visit, found, run)}</li>`,
  )}${light > 0 && html`<li class="quiet">${many ? `${light} light runs or more` : counted(light, 'light run')}</li>`}</ul></div></li>`;
}

function runText(visit: Visit, { user, timezone }: ScheduledUser, run: TimelineRun): Html {
  const start = run.startedAt ?? run.requestedAt;
  const { fused, proposed, failed, superseded } = totalsOf(run.report);
  const came = [
    fused > 0 && `${fused} fused`,
    proposed > 0 && `${proposed} proposed`,
    superseded > 0 && `${superseded} superseded`,
    failed > 0 && `${failed} failed`,
  ].filter((text) => text !== false);
  const took = run.finishedAt === null ? null : spanText(Math.max(0, run.finishedAt - start));
  return html`<a href="${runPage(visit, user, run.id)}">${run.tier} ${timeOf(start, instantText(start, timezone, 'time'))}</a> ${stateMark('run', run.status)}${
    run.preview && toned('info', '◌', 'preview')
  }<span class="quiet">${[took, ...came].filter((text) => text !== null).join(', ')}</span>`;
}

function keys(): Html {
  const entries = [
    ['run-sleep', 'sleep, on top'],
    ['run-deep', 'deep, in the middle'],
    ['run-light', 'light, below'],
    ['run-failed', 'failed'],
  ] as const;
  return html`<ul class="keys">${entries.map(
    ([name, text]) =>
      html`<li><svg class="track-key" viewBox="0 0 10 10" aria-hidden="true"><rect class="${name}-key" y="3" width="10" height="4"></rect></svg>${text}</li>`,
  )}</ul>`;
}
