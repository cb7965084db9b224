import type { Setting } from './setting.ts';

/** Names and words of the two settings that every budget has. */
interface BudgetWords<Scope extends string, Tokens extends string | undefined> {
  /** As in the names, such as TENANT_DAY. */
  scope: Scope;
  /** As in a sentence. */
  title: string;
  /** Tokens that hold where nothing is set; undefined: no limit. */
  tokens: Tokens;
}

/** Tokens and US dollars of one budget. */
function settingsOf<Scope extends string, Tokens extends string | undefined>(
  words: BudgetWords<Scope, Tokens>,
) {
  const { scope, title, tokens } = words;
  return [
    {
      name: `SLOWWAVE_BUDGET_${scope}_TOKENS`,
      kind: 'integer',
      ...(tokens === undefined ? {} : { default: tokens }),
      min: 0,
      max: 1_000_000_000_000,
      orNone: true,
      description: `Most tokens, read and written, that language models may take ${title}. ${tokens === undefined ? 'Unset or none' : 'none'}: no limit; 0: no call is made.`,
    },
    {
      name: `SLOWWAVE_BUDGET_${scope}_DOLLARS`,
      kind: 'number',
      min: 0,
      max: 1_000_000,
      orNone: true,
      description: `Most US dollars that models may cost ${title}. Unset or none: no limit; 0: no call is made.`,
    },
  ] as const satisfies readonly Setting[];
}

/** What may be spent, by whom and in which time. The defaults are two and a half nights, and one and a half days, with work for all steps. */
export const BUDGET_SETTINGS = [
  ...settingsOf({ scope: 'USER_NIGHT', title: "for one user's sleep in one night", tokens: '150000' }),
  ...settingsOf({
    scope: 'USER_DAY',
    title: "for one user on one day, in the user's time zone",
    tokens: '400000',
  }),
  ...settingsOf({ scope: 'TENANT_DAY', title: 'for one tenant on one day, in UTC', tokens: undefined }),
  ...settingsOf({
    scope: 'OVERALL_DAY',
    title: 'for all tenants together on one day, in UTC',
    tokens: undefined,
  }),
] as const satisfies readonly Setting[];
