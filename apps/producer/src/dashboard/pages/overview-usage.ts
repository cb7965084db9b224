import type { CallUsage, TenantDay, Usage } from '@slowwave/db';
import { OFFLINE_MODEL } from '@slowwave/models';
import { usageBars } from '../drawings/usage-bars.ts';
import { counted, shortNumber } from '../format.ts';
import { type Html, html, joined } from '../html.ts';
import { card, emptyState, factsOf } from '../parts.ts';
import { allTokensText, costPhrase, costText, usageLine } from '../usage-words.ts';

export const USAGE_DAYS = 7;
const MODELS_SHOWN = 10;
const NONE: CallUsage = {
  calls: 0,
  batchedCalls: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  heldTokens: 0,
  costNanos: '0',
  unpricedCalls: 0,
};

/** What the calls of runs that began on one day took. @param at epoch ms */
export function usageOn({ days }: Usage, at: number): CallUsage {
  const day = new Date(at).toISOString().slice(0, 10);
  return days.find((each) => each.day === day) ?? NONE;
}

/**
 * What models took in the last days, and what that cost.
 * @param of.since the first day, epoch ms at midnight UTC
 * @param of.now epoch ms
 * @param of.unbooked answers of the offline model, which the usage knows nothing of
 */
export function usageCard(
  usage: Usage,
  { since, now, unbooked }: { since: number; now: number; unbooked: TenantDay['unbooked'] },
): Html {
  const { total, days, models } = usage;
  const title = `Model tokens and cost, the last ${USAGE_DAYS} days`;
  if (total.calls === 0) return card({ id: 'usage', title, class: 'w6' }, nothingTaken(unbooked));
  const costs = factsOf([
    ['Cost today', costText(usageOn(usage, now))],
    [`Cost in ${USAGE_DAYS} days`, costText(total)],
    ['Tokens', allTokensText(total)],
  ]);
  const lines = models.slice(0, MODELS_SHOWN).map((one) => usageLine(one.model, one));
  const more = models.length > MODELS_SHOWN && html`<br>and ${models.length - MODELS_SHOWN} more`;
  const offline = unbooked.answers > 0 && html`<br>${offlineLine(unbooked)}`;
  return card(
    {
      id: 'usage',
      title,
      class: 'w6',
      aside: `${shortNumber(total.inputTokens + total.outputTokens)} tokens, ${costPhrase(total)}`,
    },
    html`${usageBars(days, since, USAGE_DAYS)}${costs}${unpricedNote(models)}<p class="small quiet">${joined(lines, html`<br>`)}${more}${offline}</p>`,
  );
}

function nothingTaken(unbooked: TenantDay['unbooked']): Html {
  if (unbooked.answers > 0) return emptyState('No tokens were taken in these days', offlineLine(unbooked));
  return emptyState(
    'No model answered in these days',
    'Choose one with SLOWWAVE_MODEL_PROVIDER; without a model the steps that need one are skipped and say so.',
  );
}

const offlineLine = ({ answers }: TenantDay['unbooked']): Html =>
  html`<code>${OFFLINE_MODEL}</code> ${counted(answers, 'answer')}, no tokens and no cost: it is no language model`;

/** A price counts from when it is set: what was asked before stays unknown. */
function unpricedNote(models: Usage['models']): Html | null {
  const unpriced = models.filter(({ unpricedCalls }) => unpricedCalls > 0);
  if (unpriced.length === 0) return null;
  const shown = unpriced.slice(0, MODELS_SHOWN).map(({ model }) => html`<code>${model}</code>`);
  const more = unpriced.length > MODELS_SHOWN && ` and ${unpriced.length - MODELS_SHOWN} more`;
  return html`<p class="small">No price was known for ${joined(shown, ', ')}${more}; SLOWWAVE_MODEL_PRICES sets one for the calls to come.</p>`;
}
