import {
  CONFLICT_POLICIES,
  PREVIEWED_TIERS,
  pauseUser,
  releaseUser,
  requestRun,
  resumeUser,
  type ScheduledUser,
  setConflictPolicy,
  setMode,
  USER_MODES,
} from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { errorFacts } from '@slowwave/queue';
import { z } from 'zod';
import { refusalOf } from '../../http/consolidations.ts';
import type { AppOptions } from '../../http/options.ts';
import { unknownUser } from '../../http/users.ts';
import type { Desk } from '../desk.ts';
import { type Html, html } from '../html.ts';
import { buttonForm, card, factsOf, formOf } from '../parts.ts';
import { actionOf, pageOf, userPage, type Visit } from '../visit.ts';
import { codeText } from '../words.ts';

const runSchema = z.object({ tier: z.enum(TIERS), preview: z.literal('yes').optional() });
const settingsSchema = z.object({ mode: z.enum(USER_MODES), policy: z.enum(CONFLICT_POLICIES) });

const MODE_WORDS = {
  auto: 'auto: fusions that pass are applied',
  review: 'review: they wait for a person',
  off: 'off: nothing is fused',
} as const;
const POLICY_WORDS = {
  ask: 'ask: contradictions wait for a person',
  newest_wins: 'newest wins, where that is safe',
} as const;

/** How a user is treated, and what a person may ask for. */
export function settingsCard(visit: Visit, of: { found: ScheduledUser; policy: string }): Html {
  const { found, policy } = of;
  const { user, mode, tiers, quarantine } = found;
  if (!visit.mayWrite) {
    const facts = factsOf([
      ['Mode', mode],
      ['Conflicts', codeText(policy)],
    ]);
    return card({ id: 'settings', title: 'Settings', class: 'w5' }, facts);
  }
  const paused = TIERS.some((tier) => tiers[tier].paused);
  const action = (name: string) => actionOf(['users', user, name]);
  const options = (words: Readonly<Record<string, string>>, current: string) =>
    Object.entries(words).map(
      ([value, text]) =>
        html`<option value="${value}" ${value === current && html`selected`}>${text}</option>`,
    );
  return card(
    { id: 'settings', title: 'Settings', class: 'w5' },
    html`<div class="stack">
${formOf(
  visit,
  { action: action('run'), class: 'actions' },
  html`<label class="hidden-visually" for="tier">Tier</label><select id="tier" name="tier"><option value="deep">deep</option><option value="sleep">sleep</option><option value="light">light</option></select>
<button type="submit" class="main">Run now</button><button type="submit" name="preview" value="yes">Preview</button>`,
)}
${formOf(
  visit,
  { action: action('settings') },
  html`<div class="field"><label for="mode">Fusions</label><select id="mode" name="mode">${options(MODE_WORDS, mode)}</select></div>
<div class="field"><label for="policy">Conflicts</label><select id="policy" name="policy">${options(POLICY_WORDS, policy)}</select></div>
<div class="actions"><button type="submit">Save</button></div>`,
)}
<div class="actions">${buttonForm(visit, { action: action(paused ? 'resume' : 'pause'), label: paused ? 'Resume' : 'Pause' })}${
      quarantine !== null &&
      visit.mayAdminister &&
      buttonForm(visit, { action: action('release'), label: 'Release from quarantine', kind: 'main' })
    }<a class="button danger" href="${pageOf(visit, ['users', user, 'forget'])}">Forget the user…</a></div>
</div>`,
  );
}

export function registerUserActions(desk: Desk, options: AppOptions): void {
  registerRun(desk, options);
  const { logger } = options;
  desk.action(
    '/dashboard/users/:user/settings',
    { form: settingsSchema },
    async ({ visit, params, fields, database }) => {
      const of = { tenant: visit.tenant, user: params.user! };
      const { mode, policy } = fields;
      await database.withTenant(visit.tenant, async (tx) => {
        if ((await setMode(tx, { ...of, mode, at: visit.now })) === null) throw unknownUser();
        await setConflictPolicy(tx, { ...of, policy });
      });
      logger.info(
        { ...of, mode, policy, by: visit.principal.name },
        'a person changed the settings of a user',
      );
      return { to: userPage(visit, of.user), said: 'changed' };
    },
  );
  for (const [action, change, said] of [
    ['pause', pauseUser, 'paused'],
    ['resume', resumeUser, 'resumed'],
  ] as const) {
    desk.action(`/dashboard/users/:user/${action}`, {}, async ({ visit, params, database }) => {
      const of = { tenant: visit.tenant, user: params.user! };
      const paused = await database.withTenant(visit.tenant, (tx) => change(tx, of));
      if (paused === null) throw unknownUser();
      logger.info({ action, ...of, by: visit.principal.name }, 'a person changed the pauses of a user');
      return { to: userPage(visit, of.user), said };
    });
  }
  desk.action('/dashboard/users/:user/release', { role: 'admin' }, async ({ visit, params, database }) => {
    const of = { tenant: visit.tenant, user: params.user! };
    const result = await database.withTenant(visit.tenant, (tx) => releaseUser(tx, of));
    if (result.status === 'unknown_user') throw unknownUser();
    logger.info({ ...of, by: visit.principal.name }, 'a person released a user from quarantine');
    return { to: userPage(visit, of.user), said: 'released' };
  });
}

function registerRun(desk: Desk, { queues, logger }: AppOptions): void {
  desk.action(
    '/dashboard/users/:user/run',
    { form: runSchema },
    async ({ visit, params, fields, database }) => {
      const { tenant, now } = visit;
      const user = params.user!;
      const { tier } = fields;
      const preview = fields.preview === 'yes' && PREVIEWED_TIERS.some((each) => each === tier);
      const asked = await database.withTenant(tenant, (tx) =>
        requestRun(tx, { tenant, user, tier, preview, at: now, isSpaced: visit.principal.tokenId !== null }),
      );
      if (asked.status !== 'requested') throw refusalOf(asked, { preview, at: now });
      const { runId, existing } = asked;
      try {
        await queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId });
      } catch (error) {
        logger.warn({ runId, tier, ...errorFacts(error) }, 'a requested run waits for the next tick');
      }
      logger.info(
        { tenant, user, tier, runId, preview, by: visit.principal.name },
        'a person asked for a run',
      );
      return { to: pageOf(visit, ['users', user, 'runs', runId]), said: existing ? 'existing' : 'requested' };
    },
  );
}
