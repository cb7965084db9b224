import {
  type BandCounts,
  type BandSeries,
  countBands,
  getConflictPolicy,
  getUser,
  pageMemories,
  readBandSeries,
  readTimeline,
  readUsage,
  type ScheduledUser,
  type StoredMemory,
  type TimelineRun,
  type Usage,
} from '@slowwave/db';
import { type Band, TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import { unknownUser } from '../../http/users.ts';
import type { Desk } from '../desk.ts';
import { bandPlot } from '../drawings/band-plot.ts';
import { quietText } from '../drawings/night-track.ts';
import { DAY_MS, numberText, shareText } from '../format.ts';
import { type Html, html } from '../html.ts';
import { ago, card, emptyState, nextPage, tableOf, wordsOf } from '../parts.ts';
import { memoryPage, pageOf, recallPage, userPage, type Visit } from '../visit.ts';
import { codeText, stateMark, TIER_TEXTS, toned } from '../words.ts';
import { nightsCard } from './nights.ts';
import { registerUserActions, settingsCard } from './user-actions.ts';
import { USER_USAGE_DAYS, userUsageCard } from './user-usage.ts';

const NIGHTS_SHOWN = 14;
const PLOT_DAYS_BACK = 30;
const PLOT_DAYS_AHEAD = 90;
const PLOT_POINTS = 60;
const MEMORIES_PER_PAGE = 20;
const BANDS = ['active', 'dormant', 'archived'] as const satisfies readonly Band[];

const querySchema = z.object({
  band: z.enum([...BANDS, 'all']).catch('all'),
  cursor: z.string().optional(),
});

interface Loaded {
  found: ScheduledUser;
  policy: string;
  bands: BandCounts;
  series: BandSeries;
  runs: TimelineRun[];
  usage: Usage;
  memories: { rows: StoredMemory[]; nextCursor: string | null };
}

/** One user: when what runs next, the nights, how the memories fade, and the memories themselves. */
export function registerUserPage(desk: Desk, options: AppOptions): void {
  desk.page(
    '/dashboard/users/:user',
    { place: 'users', query: querySchema },
    async ({ visit, params, fields, database }) => {
      const { tenant, now } = visit;
      const of = { tenant, user: params.user! };
      const loaded = await database.withTenant(tenant, async (tx): Promise<Loaded> => {
        const found = await getUser(tx, tenant, of.user);
        if (found === null) throw unknownUser();
        const span = { since: now - PLOT_DAYS_BACK * DAY_MS, until: now + PLOT_DAYS_AHEAD * DAY_MS };
        const band = fields.band === 'all' ? undefined : fields.band;
        return {
          found,
          policy: (await getConflictPolicy(tx, of)) ?? 'ask',
          bands: await countBands(tx, { ...of, at: now }),
          series: await readBandSeries(tx, { ...of, ...span, at: now, points: PLOT_POINTS }),
          runs: (await readTimeline(tx, { ...of, since: now - (NIGHTS_SHOWN + 1) * DAY_MS })).runs,
          usage: await readUsage(tx, { ...of, since: now - USER_USAGE_DAYS * DAY_MS }),
          memories: await pageMemories(tx, {
            ...of,
            at: now,
            band,
            latest: true,
            limit: MEMORIES_PER_PAGE,
            cursor: fields.cursor,
          }),
        };
      });
      return {
        title: of.user,
        lead: html`${stateOf(loaded.found)} quiet hours ${quietText(loaded.found)}`,
        crumbs: [{ text: 'Users', href: pageOf(visit, ['users']) }],
        aside: html`<a class="button" href="${recallPage(visit, of.user)}">Ask this memory</a><a class="button" href="${pageOf(visit, ['reviews'], { user: of.user })}">Reviews</a><a class="button" href="${pageOf(visit, ['conflicts'], { user: of.user })}">Conflicts</a>`,
        main: mainOf(visit, loaded, fields.band),
      };
    },
  );
  registerUserActions(desk, options);
}

function stateOf({ quarantine, tiers, mode }: ScheduledUser): Html {
  const paused = TIERS.filter((tier) => tiers[tier].paused || tiers[tier].tenantPaused);
  const failing = TIERS.filter((tier) => tiers[tier].failures > 0);
  return html`${quarantine && toned('bad', '✗', `in quarantine: ${codeText(quarantine.code)}`)} ${
    failing.length > 0 && toned('warn', '!', `failing: ${failing.join(', ')}`)
  } ${paused.length > 0 && toned('plain', '‖', `paused: ${paused.join(', ')}`)} ${toned('info', '⚙', `mode ${mode}`)}`;
}

function mainOf(visit: Visit, loaded: Loaded, band: string): Html {
  const { found, bands, series, runs, usage, memories } = loaded;
  const { now } = visit;
  // A history that is shorter than the plot would leave it empty on the left.
  const first = (series.counted[0]?.at ?? now) - DAY_MS;
  const span = { from: first, until: now + PLOT_DAYS_AHEAD * DAY_MS, now };
  return html`${figuresOf(bands)}
<div class="grid">
${tiersCard(visit, found)}
${settingsCard(visit, loaded)}
${nightsCard(visit, found, runs, NIGHTS_SHOWN)}
${userUsageCard(usage)}
${card(
  {
    id: 'fading',
    title: 'Prominence over time',
    aside: 'left of now as runs counted, right of it as time will do',
  },
  bandPlot(series, span),
)}
${memoriesCard(visit, found.user, memories, band)}
</div>`;
}

function figuresOf({ latest, active, dormant, archived, superseded, derived }: BandCounts): Html {
  const all: [string, number, string][] = [
    ['Latest memories', latest, 'what counts now'],
    ['Active', active, 'from 0.5'],
    ['Dormant', dormant, 'from 0.1'],
    ['Faded', archived, 'below 0.1'],
    ['Derived', derived, 'made by fusions'],
    ['Superseded', superseded, 'kept, and stood for'],
  ];
  return html`<dl class="figures">${all.map(
    ([name, value, note]) =>
      html`<div class="figure"><dt>${name}</dt><dd><span class="value">${numberText(value)}</span> <span class="note">${note}</span></dd></div>`,
  )}</dl>`;
}

function tiersCard(visit: Visit, { tiers, timezone }: ScheduledUser): Html {
  const table = tableOf(
    { caption: 'When each tier is due, ran and succeeded', hideCaption: true },
    [
      {
        title: 'Tier',
        cell: (tier: (typeof TIERS)[number]) =>
          html`${tier} <span class="small quiet tier-note">${TIER_TEXTS[tier]}</span>`,
      },
      {
        title: 'Due',
        cell: (tier) =>
          Number.isFinite(tiers[tier].dueAt)
            ? ago(visit, tiers[tier].dueAt, timezone)
            : html`<span class="quiet">nothing ahead</span>`,
      },
      { title: 'Last tried', cell: (tier) => ago(visit, tiers[tier].lastAttemptAt, timezone) },
      { title: 'Last success', cell: (tier) => ago(visit, tiers[tier].lastSuccessAt, timezone) },
      { title: 'Failures', kind: 'number', cell: (tier) => numberText(tiers[tier].failures) },
    ],
    TIERS,
  );
  return card({ id: 'tiers', title: 'Tiers', class: 'w7' }, table);
}

function memoriesCard(
  visit: Visit,
  user: string,
  { rows, nextCursor }: Loaded['memories'],
  band: string,
): Html {
  const links = (['all', ...BANDS] as const).map((each) => {
    const word = each === 'archived' ? 'faded' : each;
    const address = `${pageOf(visit, ['users', user], { band: each === 'all' ? null : each })}#memories`;
    return html`<a href="${address}" ${each === band && html`aria-current="true"`}>${word}</a> `;
  });
  const table = tableOf(
    { caption: 'Latest memories, newest first', hideCaption: true },
    [
      {
        title: 'Memory',
        kind: 'block',
        cell: ({ id, content }: StoredMemory) =>
          html`<a class="plain-link" href="${memoryPage(visit, user, id)}">${wordsOf(content, true)}</a>`,
      },
      {
        title: 'Prominence',
        cell: ({ prominence, band: own }) =>
          html`<span class="nowrap"><span class="mono">${shareText(prominence)}</span> ${stateMark('band', own)}</span>`,
      },
      { title: 'Category', cell: ({ category }) => category },
      { title: 'Type', cell: ({ memoryType }) => codeText(memoryType) },
      { title: 'Said', cell: ({ documentDate }) => ago(visit, documentDate) },
    ],
    rows,
  );
  const next =
    nextCursor &&
    `${pageOf(visit, ['users', user], { band: band === 'all' ? null : band, cursor: nextCursor })}#memories`;
  const none = emptyState(
    'No such memories',
    html`See <a href="${userPage(visit, user)}">all of them</a>, or import some.`,
  );
  return card(
    { id: 'memories', title: 'Memories', aside: html`<nav aria-label="Band" class="bands">${links}</nav>` },
    html`${rows.length === 0 ? none : table}${nextPage(next)}`,
  );
}
