import {
  type CallUsage,
  DAY_COUNT_MAX,
  listPastDays,
  listTenants,
  type PastDay,
  readTenantDay,
  readUsage,
  TENANTS_PER_LIST_MAX,
  type TenantDay,
  type Usage,
} from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { OFFLINE_MODEL } from '@slowwave/models';
import { QUEUE_NAMES, type QueueCounts, type QueueName, type Queues } from '@slowwave/queue';
import type { Observation } from '../../http/observe.ts';
import type { AppOptions } from '../../http/options.ts';
import type { Desk } from '../desk.ts';
import { counted, DAY_MS, instantText, numberText, shortNumber } from '../format.ts';
import { type Html, html, joined } from '../html.ts';
import { card, emptyState, tableOf, timeOf } from '../parts.ts';
import { costText } from '../usage-words.ts';
import { DEFAULT_TENANT, pageOf, type Visit } from '../visit.ts';
import { stateMark } from '../words.ts';
import { healthCard, healthNotice } from './overview-health.ts';
import { USAGE_DAYS, usageCard, usageOn } from './overview-usage.ts';

/** Earlier days that are shown beside today. */
const PAST_DAYS = 5;

/** What an operator looks at first: who waits, what ran today and came of it, what it took, what waits for people, and how the parts are. */
export function registerOverviewPage(
  desk: Desk,
  { queues }: AppOptions,
  observe: () => Promise<Observation>,
): void {
  desk.page('/dashboard', { place: 'overview' }, async ({ visit, database }) => {
    const { tenant, now, allTenants } = visit;
    const since = Math.floor(now / DAY_MS) * DAY_MS;
    const usageSince = since - (USAGE_DAYS - 1) * DAY_MS;
    const [{ day, past, usage }, seen, depths, tenants] = await Promise.all([
      database.withTenant(tenant, async (tx) => ({
        day: await readTenantDay(tx, { tenant, since, answersSince: usageSince, unbooked: OFFLINE_MODEL }),
        past: await listPastDays(tx, { tenant, before: since, limit: PAST_DAYS }),
        usage: await readUsage(tx, { tenant, since: usageSince }),
      })),
      observe(),
      allTenants ? depthsOf(queues) : null,
      allTenants ? database.asDispatcher((tx) => listTenants(tx, { limit: TENANTS_PER_LIST_MAX })) : [],
    ]);
    return {
      title: 'Overview',
      lead: html`Tenant ${tenant}. Today began at midnight UTC.`,
      aside: html`<label class="choice" hidden data-refresh-choice><input type="checkbox" data-remember="refresh"> Refresh every 15 s</label>`,
      main: html`<div data-refresh>
${healthNotice(seen)}
${figures(visit, { day, usage, seen })}
<div class="grid">
${day.users === 0 && welcome()}
${runsToday(day)}
${fusionsToday(day)}
${past.length > 0 && pastDays(past)}
${usageCard(usage, { since: usageSince, now, unbooked: day.unbooked })}
${depths && queuesCard(visit, depths)}
${healthCard(seen)}
${tenants.length > 1 && tenantsCard(visit, tenants)}
</div>
</div>`,
    };
  });
}

/** Null of a queue that does not answer. */
type Depths = [name: QueueName, counts: QueueCounts | null][];

function depthsOf(queues: Queues): Promise<Depths> {
  return Promise.all(
    QUEUE_NAMES.filter((name) => name !== 'ticks').map(
      async (name): Promise<Depths[number]> => [name, await queues.counts(name).catch(() => null)],
    ),
  );
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

interface Figure {
  name: string;
  value: string;
  note: string;
  href?: string;
  tone?: 'bad' | 'warn' | '' | undefined;
}

/** What calls took; answers of the offline model took nothing. */
function takenText(usage: CallUsage, { today }: TenantDay['unbooked']): string {
  if (usage.calls === 0 && today > 0) return `${counted(today, 'answer')} without any`;
  return `${counted(usage.calls, 'call')}, cost ${costText(usage)}`;
}

function figures(
  visit: Visit,
  { day, usage, seen: { load } }: { day: TenantDay; usage: Usage; seen: Observation },
): Html {
  const { waiting } = visit;
  const runs = sumOf(day.runs.map(({ count }) => count));
  const failedRuns = sumOf(day.runs.filter(({ status }) => status === 'failed').map(({ count }) => count));
  const applied = day.fusions.find(({ status }) => status === 'applied')?.count ?? 0;
  const overdue = load.ok ? sumOf(TIERS.map((tier) => load.value[tier].overdue)) : null;
  const today = usageOn(usage, visit.now);
  const all: Figure[] = [
    {
      name: 'Overdue',
      value: overdue === null ? '–' : numberText(overdue),
      note: visit.allTenants ? 'users × tiers, all tenants' : 'users × tiers, whole service',
      href: pageOf(visit, ['users'], { filter: 'overdue' }),
      tone: overdue ? 'bad' : '',
    },
    {
      name: 'Runs today',
      value: numberText(runs),
      note: failedRuns > 0 ? `${numberText(failedRuns)} failed` : 'none failed',
      tone: failedRuns > 0 ? 'warn' : '',
    },
    { name: 'Fusions today', value: numberText(applied), note: 'applied' },
    {
      name: 'Tokens today',
      value: shortNumber(today.inputTokens + today.outputTokens),
      note: takenText(today, day.unbooked),
    },
    {
      name: 'To review',
      value: numberText(waiting.reviews),
      note: 'fusions',
      href: pageOf(visit, ['reviews']),
    },
    {
      name: 'Conflicts',
      value: numberText(waiting.conflicts),
      note: 'open',
      href: pageOf(visit, ['conflicts']),
    },
    {
      name: 'Failed',
      value: numberText(waiting.failedFusions),
      note: 'fusions',
      href: pageOf(visit, ['failed']),
      tone: waiting.failedFusions > 0 ? 'bad' : '',
    },
  ];
  return html`<dl class="figures">${all.map(
    ({ name, value, note, href, tone }) =>
      html`<div class="figure ${tone}"><dt>${name}</dt><dd><span class="value">${
        href ? html`<a href="${href}">${value}</a>` : value
      }</span> <span class="note">${note}</span></dd></div>`,
  )}</dl>`;
}

function welcome(): Html {
  const title = 'No users in this tenant yet';
  return html`<div>${emptyState(title, [
    html`Users come with their memories: send a file to <code>POST /v1/imports?user=ana</code>, or run `,
    html`<code>npx slowwave import notes.txt --user ana</code>. Choose another tenant at the top of the page.`,
  ])}</div>`;
}

function runsToday({ runs }: TenantDay): Html {
  const statuses = [...new Set(runs.map(({ status }) => status))];
  const countOf = (tier: string, status: string) =>
    runs.find((run) => run.tier === tier && run.status === status)?.count ?? 0;
  const table = tableOf(
    { caption: 'Runs that were asked for or fell due today, by tier and outcome', hideCaption: true },
    [
      { title: 'Tier', cell: (tier: string) => tier },
      ...statuses.map((status) => ({
        title: status,
        kind: 'number' as const,
        cell: (tier: string) => numberText(countOf(tier, status)),
      })),
    ],
    TIERS,
  );
  const none = emptyState(
    'Nothing has run today',
    'Runs begin by themselves when a user is due. To see one now, open a user and ask for a run.',
  );
  return card({ id: 'runs', title: 'Runs today', class: 'w6' }, runs.length === 0 ? none : table);
}

function fusionsToday({ fusions }: TenantDay): Html {
  const table = tableOf(
    { caption: 'Fusions that changed today, by where they stand', hideCaption: true },
    [
      { title: 'Outcome', cell: ({ status }: TenantDay['fusions'][number]) => stateMark('fusion', status) },
      { title: 'Fusions', kind: 'number', cell: ({ count }) => numberText(count) },
    ],
    fusions,
  );
  const none = emptyState(
    'No fusions today',
    'They come from the deep tier and the sleep tier, when memories have faded and are related, and a model is configured.',
  );
  return card({ id: 'fusions', title: 'Fusions today', class: 'w6' }, fusions.length === 0 ? none : table);
}

function pastDays(days: readonly PastDay[]): Html {
  const number = (title: string, count: (day: PastDay) => number) => ({
    title,
    kind: 'number' as const,
    cell: (day: PastDay) =>
      count(day) < DAY_COUNT_MAX ? numberText(count(day)) : `${numberText(DAY_COUNT_MAX)} or more`,
  });
  return card(
    { id: 'past', title: 'Earlier days', class: 'w12', aside: 'the last that had runs or fusions' },
    tableOf(
      { caption: 'Runs and fusions on the last days that had any', hideCaption: true },
      [
        { title: 'Day', cell: ({ day }: PastDay) => timeOf(day, instantText(day, 'UTC', 'day')) },
        number('Runs', ({ runs }) => runs),
        number('failed', ({ failedRuns }) => failedRuns),
        number('Fusions applied', ({ applied }) => applied),
        number('closed', ({ closed }) => closed),
      ],
      days,
    ),
  );
}

const QUEUE_WORDS: Record<QueueName, string> = {
  light: 'Light',
  deep: 'Deep',
  sleep: 'Sleep',
  fusions: 'Fusions',
  adhoc: 'Requested runs',
  ticks: 'Ticks',
};

function queuesCard(visit: Visit, depths: Depths): Html {
  const number =
    (pick: keyof QueueCounts) =>
    ([, counts]: Depths[number]) =>
      counts === null ? '–' : numberText(counts[pick]);
  const columns = (['waiting', 'active', 'delayed', 'failed'] as const).map((pick) => ({
    title: pick,
    kind: 'number' as const,
    cell: number(pick),
  }));
  const nameOf = ([name]: Depths[number]) =>
    visit.mayOpenBoard ? html`<a href="/board/queue/${name}">${QUEUE_WORDS[name]}</a>` : QUEUE_WORDS[name];
  return card(
    { id: 'queues', title: 'Queues', class: 'w6', aside: 'all tenants' },
    tableOf(
      { caption: 'Jobs in each queue by state', hideCaption: true },
      [{ title: 'Queue', cell: nameOf }, ...columns],
      depths,
    ),
  );
}

function tenantsCard(visit: Visit, tenants: readonly string[]): Html {
  const links = tenants.map((tenant) =>
    tenant === visit.tenant
      ? html`<strong>${tenant}</strong>`
      : html`<a href="${pageOf({ allTenants: true, tenant }, [])}">${tenant}</a>`,
  );
  const more = tenants.length >= TENANTS_PER_LIST_MAX ? html` and more; enter a name above` : null;
  const byName = tenants.includes(DEFAULT_TENANT) ? null : html`<br>`;
  return card(
    { id: 'tenants', title: 'Tenants', class: 'w6' },
    html`<p>${joined(links, ' · ')}${more}${byName}</p>`,
  );
}
