import { readStoredAnswer } from '../answer.ts';
import type { StoredAnswer } from '../ports.ts';
import type { JudgeItem } from './items.ts';
import { ADDED, EMPTY, LOST, TIMES } from './request.ts';

/** Why one vote says no to an item. `canary`, `unreadable`, `refused` and `truncated` void the whole answer. */
export type VoteRefusal =
  | 'unreadable'
  | 'refused'
  | 'truncated'
  | 'canary'
  /** The item, a source or a word of it is missing, or answered twice. */
  | 'incomplete'
  /** `as` names words that do not stand where it says. */
  | 'misquoted'
  | 'lost'
  | 'added'
  | 'differs';

export type Vote = { ok: true } | { ok: false; reason: VoteRefusal; details: string[] };

/**
 * What a stored answer says of each statement, in the order of the statements. Pure: the same answer always says the same. Fails closed:
 * whatever is missing, doubled, cut off or quoted wrongly is a no; a canary judged wrongly voids the answer.
 *
 * @param items those of the request
 * @param statements how many statements were proposed
 */
export function readVotes(
  items: readonly JudgeItem[],
  statements: number,
  stored: StoredAnswer | null,
): Vote[] {
  const all = (reason: VoteRefusal): Vote[] =>
    Array.from({ length: statements }, () => ({ ok: false, reason, details: [] }));
  if (stored === null) return all('unreadable');
  if (stored.stopReason === 'max_tokens') return all('truncated');
  const answer = readStoredAnswer(stored, ['items']);
  if (!answer.ok) return all(answer.reason === 'invalid_output' ? 'unreadable' : answer.reason);
  const given = listOf(answer.value.items);
  if (given === null) return all('unreadable');
  const votes = items.map((item) => ({ item, vote: voteOn(item, given) }));
  const isFooled = votes.some(
    ({ item, vote }) => item.expected !== null && vote.ok !== (item.expected === 'accepted'),
  );
  if (isFooled) return all('canary'); // guard: judge-canary
  const read = all('incomplete');
  for (const { item, vote } of votes) if (item.statement !== null) read[item.statement] = vote;
  return read;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Json[] | null =>
  Array.isArray(value) && value.every(isObject) ? value : null;

/** The one of a list that a test picks; null for none and for several. */
const only = (list: readonly Json[], is: (one: Json) => boolean): Json | null => {
  const found = list.filter(is);
  return found.length === 1 ? found[0]! : null;
};

const isTime = (value: unknown): value is (typeof TIMES)[number] =>
  (TIMES as readonly unknown[]).includes(value);

const no = (reason: VoteRefusal, details: string[] = []): Vote => ({ ok: false, reason, details });

function voteOn(item: JudgeItem, given: readonly Json[]): Vote {
  const answer = only(given, ({ id }) => id === item.id);
  const sources = answer === null ? null : listOf(answer.sources);
  if (answer === null || sources === null || sources.length !== item.sources.length) return no('incomplete');
  const contents = item.sources.map(({ content }) => content);
  for (const [at, content] of contents.entries()) {
    const source = only(sources, ({ n }) => n === at + 1);
    if (source === null) return no('incomplete');
    const { missing, flags } = item.words.sources[at]!;
    const words =
      checkWords(missing, source.missing, LOST, [item.text]) ??
      checkWords(flags, source.flags, ADDED, [content]);
    if (words) return words;
    const { when, differs, verdict } = source;
    if (typeof differs !== 'string' || !isTime(when)) return no('incomplete');
    const isTimely = when === 'none' || when === 'kept'; // guard: judge-when
    if (isTimely && verdict === 'same' && differs.trim() === '') continue;
    return no('differs', [isTimely ? differs : `${differs} (when: ${when})`.trim()]);
  }
  return checkWords(item.words.added, answer.added, ADDED, contents) ?? { ok: true };
}

/** Every listed word accounted for once, by words that stand in one of the texts; null when nothing is wrong. */
function checkWords(
  listed: readonly string[],
  value: unknown,
  none: typeof LOST | typeof ADDED,
  texts: readonly string[],
): Vote | null {
  const answers = listOf(value);
  if (answers === null) return no('incomplete');
  for (const word of listed) {
    const answer = only(answers, (one) => one.word === word);
    if (answer === null || typeof answer.as !== 'string') return no('incomplete', [word]);
    if (answer.as === none) return no(none === LOST ? 'lost' : 'added', [word]);
    if (answer.as === EMPTY) continue;
    if (!texts.some((text) => holdsWords(text, answer.as as string))) return no('misquoted', [word]); // guard: judge-quotes
  }
  return null;
}

const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’]/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim();

/** Word for word, whatever case and marks; in scripts without spaces anywhere. */
function holdsWords(text: string, words: string): boolean {
  const wanted = bare(words);
  if (wanted === '') return false;
  const held = bare(text);
  return ` ${held} `.includes(` ${wanted} `) || (isUnspaced(wanted) && held.includes(wanted));
}

const isUnspaced = (text: string): boolean =>
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{N}]+$/u.test(
    text,
  );
