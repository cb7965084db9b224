import { words } from './languages/language.ts';

/** Words that all but negate. None of them is "not": a text that has one must keep it. */
export const WEAK_NEGATORS = words('hardly barely scarcely seldom rarely little few');

/** Verbs and adjectives that carry a negation, in their base form: their opposite is another statement. */
export const NEGATIVE_PREDICATES = words(`
  dislike hate detest loathe despise avoid refuse reject decline deny lack fail miss forget forbid ban prohibit prevent skip ignore oppose
  disagree disapprove distrust doubt regret resist resent lose cancel unable unwilling unlike unhappy uncomfortable intolerant allergic
  averse afraid free
`);

/** Words by which something ends or ended: what was is not what is. */
export const ENDINGS = words(`
  stop quit cease end finish drop leave resign retire cancel abandon discontinue former formerly previously ex past longer anymore used
  once divorced late
`);

/** Words that take something out of a statement or bind it to a condition. */
export const EXCEPTIONS = words(`
  except excepting excluding exclude unless only solely but besides apart instead rather than barring save minus without
`);
