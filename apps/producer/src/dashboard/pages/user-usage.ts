import type { CallUsage, Usage } from '@slowwave/db';
import { dollarsOfNanos } from '@slowwave/models';
import { counted, dollarsText, shortNumber } from '../format.ts';
import { type Html, html, joined } from '../html.ts';
import { card, factsOf } from '../parts.ts';

export const USER_USAGE_DAYS = 30;

/** What is not known is not counted as nothing. */
function costText({ calls, costNanos, unpricedCalls }: CallUsage): string {
  if (calls > 0 && unpricedCalls === calls) return 'cost not known';
  const dollars = dollarsText(dollarsOfNanos(BigInt(costNanos)));
  return unpricedCalls === 0 ? dollars : `at least ${dollars}`;
}

const tokensText = ({ inputTokens, outputTokens }: CallUsage): string =>
  `${shortNumber(inputTokens)} in, ${shortNumber(outputTokens)} out`;

/** What models took for one user; null: nothing. */
export function userUsageCard({ total, models, steps }: Usage): Html | null {
  if (total.calls === 0) return null;
  const line = (name: string, usage: CallUsage): Html =>
    html`<code>${name}</code> ${counted(usage.calls, 'call')}, ${tokensText(usage)}, ${costText(usage)}`;
  const held = total.heldTokens > 0 && ` (${shortNumber(total.heldTokens)} more held)`;
  return card(
    {
      id: 'usage',
      title: `Model tokens and cost, the last ${USER_USAGE_DAYS} days`,
      class: 'w6',
      aside: costText(total),
    },
    factsOf([
      ['Calls', counted(total.calls, 'call')],
      ['Tokens', html`${tokensText(total)}${held}`],
      [
        'Models',
        joined(
          models.map((one) => line(one.model, one)),
          html`<br>`,
        ),
      ],
      [
        'Steps',
        joined(
          steps.map((one) => line(one.step, one)),
          html`<br>`,
        ),
      ],
    ]),
  );
}
