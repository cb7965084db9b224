import type { Setting } from './setting.ts';

/** Names and words of the two settings that every budget has. */
interface BudgetWords<Scope extends string> {
  /** As in the names, such as TENANT_DAY. */
  scope: Scope;
  /** As in a sentence. */
  title: string;
}

/** Tokens and US dollars of one budget. Unset: none. */
function settingsOf<Scope extends string>({ scope, title }: BudgetWords<Scope>) {
  return [
    {
      name: `SLOWWAVE_BUDGET_${scope}_TOKENS`,
      kind: 'integer',
      min: 0,
      max: 1_000_000_000_000,
      description: `Most tokens, read and written, that models may take ${title}. Unset: no limit.`,
    },
    {
      name: `SLOWWAVE_BUDGET_${scope}_DOLLARS`,
      kind: 'number',
      min: 0,
      max: 1_000_000,
      description: `Most US dollars that models may cost ${title}. Unset: no limit.`,
    },
  ] as const satisfies readonly Setting[];
}

/** What may be spent, by whom and in which time. */
export const BUDGET_SETTINGS = [
  ...settingsOf({ scope: 'USER_NIGHT', title: "for one user's sleep in one night" }),
  ...settingsOf({ scope: 'USER_DAY', title: "for one user on one day, in the user's time zone" }),
  ...settingsOf({ scope: 'TENANT_DAY', title: 'for one tenant on one day, in UTC' }),
  ...settingsOf({ scope: 'OVERALL_DAY', title: 'for all tenants together on one day, in UTC' }),
] as const satisfies readonly Setting[];
