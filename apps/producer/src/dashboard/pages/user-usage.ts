import type { Usage } from '@slowwave/db';
import { counted } from '../format.ts';
import { type Html, html, joined } from '../html.ts';
import { card, factsOf } from '../parts.ts';
import { allTokensText, costPhrase, usageLine } from '../usage-words.ts';

export const USER_USAGE_DAYS = 30;

/** What models took for one user; null: nothing. */
export function userUsageCard({ total, models, steps }: Usage): Html | null {
  if (total.calls === 0) return null;
  return card(
    {
      id: 'usage',
      title: `Model tokens and cost, the last ${USER_USAGE_DAYS} days`,
      class: 'w6',
      aside: costPhrase(total),
    },
    factsOf([
      ['Calls', counted(total.calls, 'call')],
      ['Tokens', allTokensText(total)],
      [
        'Models',
        joined(
          models.map((one) => usageLine(one.model, one)),
          html`<br>`,
        ),
      ],
      [
        'Steps',
        joined(
          steps.map((one) => usageLine(one.step, one)),
          html`<br>`,
        ),
      ],
    ]),
  );
}
