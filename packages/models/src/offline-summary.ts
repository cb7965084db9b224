import { judgeSummary, type PromptMessage } from '@slowwave/fusion';
import { type ContentWord, contentWords, isPlain } from './content-words.ts';
import { quotesOf } from './quotes.ts';
import { storedAs } from './stored-as.ts';

const SENTENCES = 3;
const TOPICS = 5;
const MIN_TOPICS = 3;
/** A sentence with fewer new content words is small talk. */
const MIN_NEW_WORDS = 2;
const MAX_SUMMARY_CHARS = 1_000;
/** A word of the user counts more than one of anybody else. */
const USER_WEIGHT = 2;
/** Repeating a word in one message makes it no more of a topic. */
const MAX_PER_MESSAGE = 2;
/** Words that mean another day on another day. */
const RELATIVE =
  /\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last) (?:morning|evening|night|week|weekend|month|year|time))\b/iu;

interface Quote {
  role: PromptMessage['role'];
  text: string;
  /** Place of its message in the conversation, and of it among what its message says. */
  message: number;
  place: number;
  words: Set<string>;
}

/** The sentences of a conversation that say something. */
function quotesIn(messages: PromptMessage[]): Quote[] {
  return messages.flatMap(({ role, text }, message) =>
    quotesOf(text)
      .map((quote) => ({
        role,
        text: quote,
        message,
        words: new Set(contentWords(quote, { common: true }).map(({ key }) => key)),
      }))
      .filter(({ words }) => words.size >= MIN_NEW_WORDS)
      .map((quote, place) => ({ ...quote, place })),
  );
}

/** The first sentence of each message goes before the second of any, and one that holds in a week before "tomorrow". */
function inOrderOfUse(quotes: Quote[]): Quote[] {
  const late = ({ text }: Quote): number => (RELATIVE.test(text) ? 1 : 0);
  return [...quotes].sort((a, b) => late(a) - late(b) || a.place - b.place || a.message - b.message);
}

/** Up to `count` quotes that each say something that the ones before do not, in the order of the conversation. */
function informative(quotes: Quote[], count: number): Quote[] {
  const chosen: Quote[] = [];
  const said = new Set<string>();
  let length = 0;
  for (const quote of inOrderOfUse(quotes)) {
    const fresh = [...quote.words].filter((word) => !said.has(word)).length;
    if (chosen.length === count || fresh < MIN_NEW_WORDS || length + quote.text.length > MAX_SUMMARY_CHARS)
      continue;
    chosen.push(quote);
    length += quote.text.length;
    for (const word of quote.words) said.add(word);
  }
  return chosen.sort((a, b) => a.message - b.message || a.place - b.place);
}

function sentenceOf({ role, text }: Quote): string {
  const speaker = role === 'user' ? 'The user' : 'The assistant';
  return `${speaker} ${/[?？؟]/u.test(text.slice(-2)) ? 'asked' : 'said'}: ${text}`;
}

/** What the user said first, sentence by sentence; where that is little, one sentence of the assistant as well. */
function sentencesOf(messages: PromptMessage[]): string[] {
  const quotes = quotesIn(messages);
  const users = informative(
    quotes.filter(({ role }) => role === 'user'),
    SENTENCES,
  );
  const others = quotes.filter(({ role }) => role === 'assistant');
  const chosen = users.length > 1 ? users : [...users, ...informative(others, 1)];
  return chosen.map(sentenceOf);
}

/** The most frequent content words, each in its most frequent form; ties in the order of the conversation. */
function topicsOf(messages: PromptMessage[], common: boolean): string[] {
  const weights = new Map<string, number>();
  const forms = new Map<string, Map<string, number>>();
  for (const { role, text } of messages) {
    if (role === 'system') continue;
    const perMessage = new Map<string, number>();
    for (const word of contentWords(text, { common })) {
      const count = (perMessage.get(word.key) ?? 0) + 1;
      perMessage.set(word.key, count);
      if (count > MAX_PER_MESSAGE) continue;
      weights.set(word.key, (weights.get(word.key) ?? 0) + (role === 'user' ? USER_WEIGHT : 1));
      const known = forms.get(word.key) ?? new Map<string, number>();
      forms.set(word.key, known.set(word.text, (known.get(word.text) ?? 0) + 1));
    }
  }
  const words: ContentWord[] = [...weights]
    .sort((a, b) => b[1] - a[1])
    .map(([key]) => ({ key, text: mostFrequent(forms.get(key) ?? new Map()) }));
  const topics: string[] = [];
  for (const word of words) {
    if (topics.length === TOPICS) break;
    if (word.text.length <= 40 && isPlain(word)) topics.push(word.text);
  }
  return topics;
}

function mostFrequent(forms: Map<string, number>): string {
  return [...forms].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/**
 * What the judge of real answers leaves of this one; null for nothing. Side by side two sentences may read as something that neither
 * says, and a word on its own as something that it is not where it stands.
 */
function judged(messages: PromptMessage[], said: { summary: string; topics: string[] }): string | null {
  const shown = messages.map(({ role, text: content }) => ({ role, content, saidAt: Number.NaN }));
  const verdict = judgeSummary(shown, storedAs(said));
  return verdict.ok ? JSON.stringify({ summary: verdict.summary, topics: verdict.topics }) : null;
}

/**
 * Summarises a conversation by quoting it: the user's first sentences that say something, and the words that come up most. Null when
 * there is too little to say.
 */
export function summariseSession(messages: PromptMessage[]): string | null {
  const sentences = sentencesOf(messages);
  const plain = topicsOf(messages, false);
  const topics = plain.length < MIN_TOPICS ? topicsOf(messages, true) : plain;
  if (topics.length < MIN_TOPICS) return null;
  for (let count = sentences.length; count > 0; count -= 1) {
    const text = judged(messages, { summary: sentences.slice(0, count).join(' '), topics });
    if (text !== null) return text;
  }
  return null;
}
