import {
  cancelRun,
  countRunChanges,
  type FusionView,
  getRun,
  pageFusions,
  previewOf,
  type Run,
  type RunChanges,
  totalsOf,
} from '@slowwave/db';
import type { AppOptions } from '../../http/options.ts';
import { Problem } from '../../http/problem.ts';
import type { Desk } from '../desk.ts';
import { counted, dollarsText, instantText, numberText, shortId, spanText } from '../format.ts';
import { type Html, html, joined, type Value } from '../html.ts';
import { buttonForm, card, copyButton, emptyState, factsOf, tableOf, when, wordsOf } from '../parts.ts';
import { actionOf, fusionPage, pageOf, runPage, userPage, type Visit } from '../visit.ts';
import { codeText, failureText, stateMark, toned } from '../words.ts';
import { previewCard } from './run-preview.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FUSIONS_SHOWN = 100;

/** One run: what each step did, the fusions it made, and how it is taken back. */
export function registerRunPage(desk: Desk, { logger }: AppOptions): void {
  desk.page('/dashboard/users/:user/runs/:run', { place: null }, async ({ visit, params, database }) => {
    const of = { tenant: visit.tenant, user: params.user!, runId: requireRun(params.run!) };
    const loaded = await database.withTenant(visit.tenant, async (tx) => {
      const run = await getRun(tx, of);
      if (run === null) throw new Problem(404, 'unknown_run', 'this user has no such run');
      return {
        run,
        changes: await countRunChanges(tx, of),
        fusions: (await pageFusions(tx, { ...of, limit: FUSIONS_SHOWN })).rows,
        preview: run.preview ? await previewOf(tx, of) : null,
      };
    });
    const { run, changes } = loaded;
    return {
      title: `${run.tier === 'light' ? 'Light' : run.tier === 'deep' ? 'Deep' : 'Sleep'} run`,
      lead: html`${stateMark('run', run.status)} ${run.preview && toned('info', '◌', 'preview')} ${instantText(run.startedAt ?? run.requestedAt)} UTC`,
      crumbs: [
        { text: 'Users', href: pageOf(visit, ['users']) },
        { text: of.user, href: userPage(visit, of.user) },
      ],
      aside: buttonsOf(visit, run, changes),
      main: html`<div class="grid">${recordOf(visit, loaded)}${stepsOf(run)}${
        loaded.preview
          ? previewCard(visit, of.user, loaded.preview)
          : fusionsOf(visit, of.user, loaded.fusions)
      }</div>`,
    };
  });

  desk.action('/dashboard/users/:user/runs/:run/cancel', {}, async ({ visit, params, database }) => {
    const of = { tenant: visit.tenant, user: params.user!, runId: requireRun(params.run!) };
    const result = await database.withTenant(visit.tenant, (tx) => cancelRun(tx, { ...of, at: visit.now }));
    if (result.status === 'unknown_run') throw new Problem(404, 'unknown_run', 'this user has no such run');
    if (result.status === 'finished')
      throw new Problem(409, 'finished', 'the run has ended already; undo it to take it back');
    logger.info({ ...of, by: visit.principal.name, status: result.status }, 'a person cancelled a run');
    return { to: runPage(visit, of.user, of.runId), said: 'cancelled' };
  });
}

function requireRun(id: string): string {
  if (UUID.test(id)) return id;
  throw new Problem(404, 'unknown_run', 'that is no id of a run');
}

function buttonsOf(visit: Visit, { id, user, status }: Run, { undoable, undone }: RunChanges): Value {
  if (!visit.mayWrite) return null;
  const takeBack = (direction: string) => pageOf(visit, ['users', user, 'take-back'], { run: id, direction });
  return [
    (status === 'requested' || status === 'running') &&
      buttonForm(visit, {
        action: actionOf(['users', user, 'runs', id, 'cancel']),
        label: 'Cancel',
        kind: 'danger',
        confirm: 'The run stops before its next step or cluster. What it has committed stays.',
      }),
    undoable > 0 && html`<a class="button danger" href="${takeBack('undo')}">Undo…</a>`,
    undone > 0 && html`<a class="button" href="${takeBack('redo')}">Redo…</a>`,
  ];
}

interface Loaded {
  run: Run;
  changes: RunChanges;
}

function recordOf(visit: Visit, { run, changes }: Loaded): Html {
  const totals = totalsOf(run.report);
  const started = run.startedAt ?? run.requestedAt;
  const facts: [string, Value][] = [
    ['Id', html`<code>${run.id}</code> ${copyButton(run.id, 'id')}`],
    ['Why', codeText(run.why)],
    ['Requested', when(visit, run.requestedAt)],
    ['Started', when(visit, run.startedAt)],
    [
      'Finished',
      run.finishedAt === null
        ? html`<span class="quiet">not yet</span>`
        : html`${when(visit, run.finishedAt)}, took ${spanText(Math.max(0, run.finishedAt - started))}`,
    ],
    ['Changes', changesText(changes)],
    [
      'Came of it',
      `${numberText(totals.fused)} fused, ${numberText(totals.proposed)} proposed, ${numberText(totals.failed)} failed, ${counted(totals.superseded, 'memory', 'memories')} superseded`,
    ],
    [
      'Models',
      `${counted(totals.calls, 'call')}, ${numberText(totals.inputTokens)} tokens in, ${numberText(totals.outputTokens)} out${totals.costDollars === null ? '' : `, ${dollarsText(totals.costDollars)}`}`,
    ],
  ];
  const refusal = refusalOf(run.report);
  if (refusal !== null)
    facts.push([
      'Ended by',
      html`the budget <code>${refusal.scope}</code>, whole again ${when(visit, refusal.renewsAt)}`,
    ]);
  if (run.errorCode !== null) facts.push(['Error', html`<code>${run.errorCode}</code>`]);
  return card({ id: 'record', title: 'Record', class: 'w5' }, factsOf(facts));
}

/** The budget that ended the run's model work. */
function refusalOf(report: Run['report']): { scope: string; renewsAt: number } | null {
  const { scope, renewsAt } = (report?.refusal ?? {}) as { scope?: unknown; renewsAt?: unknown };
  return typeof scope === 'string' && typeof renewsAt === 'number' ? { scope, renewsAt } : null;
}

function changesText({ total, undone }: RunChanges): string {
  if (total === 0) return 'it changed nothing';
  return `${counted(total, 'change set')}${undone > 0 ? `, ${numberText(undone)} of them undone` : ''}`;
}

interface Step {
  step: string;
  status: string;
  reason?: string;
  code?: string;
  counts?: Record<string, unknown>;
  durationMs?: number;
}

function stepsOf({ report }: Run): Html {
  const { steps } = (report ?? {}) as { steps?: unknown };
  const all = Array.isArray(steps) ? (steps as Step[]) : [];
  const none = emptyState('No report yet', 'It stands here when the run has ended.');
  const table = tableOf(
    { caption: 'Steps in their order', hideCaption: true },
    [
      { title: 'Step', cell: ({ step }: Step) => codeText(String(step)) },
      { title: 'Outcome', cell: ({ status }) => stateMark('step', String(status)) },
      { title: 'What it did', kind: 'block', cell: whatItDid },
      {
        title: 'Time',
        kind: 'number',
        cell: ({ durationMs }) => (typeof durationMs === 'number' ? spanText(durationMs) : ''),
      },
    ],
    all,
  );
  return card({ id: 'steps', title: 'Steps', class: 'w7' }, all.length === 0 ? none : table);
}

function whatItDid({ reason, code, counts }: Step): Value {
  if (code) return html`<code>${code}</code>`;
  if (reason) return html`<span class="quiet">${codeText(reason)}</span>`;
  const told = countsIn(counts ?? {}, '');
  return told.length === 0
    ? html`<span class="quiet">nothing to do</span>`
    : html`<span class="counts">${joined(told, ', ')}</span>`;
}

const SILENT = new Set(['durationMs', 'keys', 'nextCrossingAt']);
const WORDS = /([a-z])([A-Z])/g;

/** Counts that are not zero, by their names in words. */
function countsIn(counts: Record<string, unknown>, prefix: string): Html[] {
  return Object.entries(counts).flatMap(([name, value]) => {
    const words = `${prefix}${codeText(name.replace(WORDS, '$1 $2').toLowerCase())}`;
    if (SILENT.has(name) || value === null || Array.isArray(value)) return [];
    if (typeof value === 'object') return countsIn(value as Record<string, unknown>, `${words} `);
    if (typeof value === 'number' && value !== 0)
      return [html`${words} <strong>${numberText(value)}</strong>`];
    return typeof value === 'string' ? [html`${words} ${codeText(value)}`] : [];
  });
}

function fusionsOf(visit: Visit, user: string, fusions: readonly FusionView[]): Html {
  const table = tableOf(
    { caption: 'Fusions and merges of this run', hideCaption: true },
    [
      {
        title: 'Fusion',
        cell: ({ key, kind }: FusionView) =>
          html`<a href="${fusionPage(visit, user, key)}">${kind} ${shortId(key)}</a>`,
      },
      { title: 'State', cell: ({ status }) => stateMark('fusion', status) },
      { title: 'Sources', kind: 'number', cell: ({ sources }) => sources.length },
      {
        title: 'Text',
        kind: 'block',
        cell: ({ derived, errorCode, status }) =>
          derived
            ? wordsOf(derived.content, true)
            : status === 'failed'
              ? failureText(errorCode)
              : html`<span class="quiet">none</span>`,
      },
    ],
    fusions,
  );
  const none = emptyState('No fusions', 'Nothing was fused or merged in this run.');
  return card({ id: 'fusions', title: 'Fusions' }, fusions.length === 0 ? none : table);
}
