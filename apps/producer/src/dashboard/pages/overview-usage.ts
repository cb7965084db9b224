import type { ModelUsage, TenantDay } from '@slowwave/db';
import { dollarsOf, type Prices } from '@slowwave/models';
import { usageBars } from '../drawings/usage-bars.ts';
import { counted, dollarsText, shortNumber } from '../format.ts';
import { type Html, html, joined } from '../html.ts';
import { card, emptyState, factsOf } from '../parts.ts';

export const USAGE_DAYS = 7;
const MODELS_SHOWN = 10;

export interface Cost {
  /** Of the models whose price is known. */
  dollars: number;
  /** Models that took tokens and whose price is not known. */
  unpriced: string[];
  /** Whether any model with a known price took tokens. */
  known: boolean;
}

/** What models cost today, or in the whole span of the figures. */
export function costOf(prices: Prices, models: readonly ModelUsage[], span: 'today' | 'all'): Cost {
  const cost: Cost = { dollars: 0, unpriced: [], known: false };
  for (const usage of models) {
    const { inputTokens, outputTokens } = span === 'today' ? usage.today : usage;
    if (inputTokens + outputTokens === 0) continue;
    const dollars = dollarsOf(prices, { model: usage.model, inputTokens, outputTokens });
    if (dollars === null) cost.unpriced.push(usage.model);
    else {
      cost.dollars += dollars;
      cost.known = true;
    }
  }
  return cost;
}

/** What is not known is not counted as nothing. */
export function costText({ dollars, unpriced, known }: Cost): string {
  if (unpriced.length === 0) return dollarsText(dollars);
  return known ? `at least ${dollarsText(dollars)}` : 'not known';
}

/** What models took in the last days, and what that cost. @param since the first day, epoch ms at midnight UTC */
export function usageCard({ usage, models }: TenantDay, since: number, prices: Prices): Html {
  const total = usage.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  const title = 'Model tokens and cost, the last 7 days';
  if (total === 0) {
    const none = emptyState(
      'No model was asked in these days',
      'Choose one with SLOWWAVE_MODEL_PROVIDER; without a model the steps that need one are skipped and say so.',
    );
    return card({ id: 'usage', title, class: 'w6' }, none);
  }
  const week = costOf(prices, models, 'all');
  const costs = factsOf([
    ['Cost today', costText(costOf(prices, models, 'today'))],
    ['Cost in 7 days', costText(week)],
  ]);
  const more = models.length > MODELS_SHOWN && html`<br>and ${models.length - MODELS_SHOWN} more`;
  const lines = models.slice(0, MODELS_SHOWN).map((model) => modelLine(model, prices));
  return card(
    { id: 'usage', title, class: 'w6', aside: `${shortNumber(total)} tokens, ${costText(week)}` },
    html`${usageBars(usage, since, USAGE_DAYS)}${costs}${unpricedNote(week)}<p class="small quiet">${joined(lines, html`<br>`)}${more}</p>`,
  );
}

function modelLine(usage: ModelUsage, prices: Prices): Html {
  const { model, answers, inputTokens, outputTokens } = usage;
  const dollars = dollarsOf(prices, usage);
  const cost = dollars === null ? 'no price set' : dollars === 0 ? 'free' : dollarsText(dollars);
  return html`<code>${model}</code> ${counted(answers, 'answer')}, ${shortNumber(inputTokens)} in, ${shortNumber(outputTokens)} out, ${cost}`;
}

function unpricedNote({ unpriced }: Cost): Html | null {
  if (unpriced.length === 0) return null;
  const shown = unpriced.slice(0, MODELS_SHOWN).map((model) => html`<code>${model}</code>`);
  const more = unpriced.length > MODELS_SHOWN && ` and ${unpriced.length - MODELS_SHOWN} more`;
  return html`<p class="small">No price set for ${joined(shown, ', ')}${more}; SLOWWAVE_MODEL_PRICES sets it.</p>`;
}
