import type { Statement } from './unit.ts';

const DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
/** "Mom called Sunday" and "the winner was named Sunday" tell of a day. */
const NAMING = "(?:(?<!\\b(?:was|were|been|be|being|got) )named |name is |(?:is|'s) called )";
/** Who is named after a day: "her name is Sunday". */
const NAMED = new RegExp(`\\b${NAMING}(${DAY})\\b(?! (?:by|at|and|to|morning|afternoon|evening))`, 'u');
/** Before a day of the week, and behind one: there it may be the day that is meant. */
const DATED_BEFORE = `(?<!\\b(?:on|next|last|this|past|coming|every|each|until|till|by|since|from|before|after|to|for|of|or|through|between|a|the|is|are|was|were|be),? )`;
const DATED_AFTER = `(?! (?:mornings?|afternoons?|evenings?|nights?|at|and|or|to|before|after|next|last|through|until|from|in|the (?:\\d|(?:\\w*-)?(?:first|second|third|\\w+th)\\b)|\\d)|,? (?:\\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|s\\b|[-–])`;
/** Inside the name it makes another word of it that looks the same. */
const JOINER = '\u034F';

/** Texts in which a weekday that is somebody's name in one of them is no day, wherever it can only be that name: "Sunday must stay on the leash". */
export function withNamedDays<T extends { content: string }>(texts: readonly T[]): T[] {
  const named = texts.map(({ content }) => NAMED.exec(content)?.[1]).find((name) => name !== undefined);
  if (named === undefined) return [...texts];
  const introduced = new RegExp(`\\b(${NAMING})${named}\\b`, 'gu');
  const alone = new RegExp(`${DATED_BEFORE}\\b${named}\\b${DATED_AFTER}`, 'gu');
  const name = `${named.slice(0, 3)}${JOINER}${named.slice(3)}`;
  return texts.map((text) => ({
    ...text,
    content: text.content.replace(introduced, `$1${name}`).replace(alone, name),
  }));
}

/** Whether a text up to a weekday says that somebody is named so. */
export function namesDay(before: string): boolean {
  return NAMED_BEFORE.test(before.slice(-MAX_NAMING));
}

const NAMED_BEFORE = new RegExp(`\\b${NAMING}$`, 'iu');
/** As many characters as the words before a name may have. */
const MAX_NAMING = 20;

/** What is shown of a statement has the name as it was written. */
export function showNamedDays({ units }: Statement): void {
  for (const unit of units) if (unit.form.includes(JOINER)) unit.form = unit.form.replaceAll(JOINER, '');
}
