import type { CallUsage } from '@slowwave/db';
import { dollarsOfNanos } from '@slowwave/models';
import { counted, dollarsText, shortNumber } from './format.ts';
import { type Html, html } from './html.ts';

/** What calls cost, in US dollars. What is not known is not counted as nothing. */
export function costText({ calls, costNanos, unpricedCalls }: CallUsage): string {
  if (calls > 0 && unpricedCalls === calls) return 'not known';
  const dollars = dollarsText(dollarsOfNanos(BigInt(costNanos)));
  return unpricedCalls === 0 ? dollars : `at least ${dollars}`;
}

/** The same where nothing beside it says that it is a cost. */
export function costPhrase(usage: CallUsage): string {
  const text = costText(usage);
  return text === 'not known' ? 'cost not known' : text;
}

/** Read and written. */
export const tokensText = ({ inputTokens, outputTokens }: CallUsage): string =>
  `${shortNumber(inputTokens)} in, ${shortNumber(outputTokens)} out`;

/** The same, and what is kept for calls that may still be answered, or of which nobody knows whether they were. */
export const allTokensText = (usage: CallUsage): string =>
  tokensText(usage) + (usage.heldTokens > 0 ? ` (${shortNumber(usage.heldTokens)} more held)` : '');

/** What the calls of one model or one step took. */
export function usageLine(name: string, usage: CallUsage): Html {
  return html`<code>${name}</code> ${counted(usage.calls, 'call')}, ${tokensText(usage)}, ${costPhrase(usage)}`;
}
