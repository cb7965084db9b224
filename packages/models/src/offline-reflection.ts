import { judgeReflection, type readReflectionRequest } from '@slowwave/fusion';
import { contentWords, isPlain, listed } from './content-words.ts';
import { quotesOf } from './quotes.ts';
import { storedAs } from './stored-as.ts';

type Request = NonNullable<ReturnType<typeof readReflectionRequest>>;
type Summary = Request['summaries'][number];

const INSIGHTS = 3;
const TOPICS_PER_INSIGHT = 3;
const NEW_PROFILE_TOPICS = 6;
const PROFILE_TOPICS = 12;
/** Sentences that a profile made here keeps of the one before. */
const KEPT_SENTENCES = 6;
const MAX_TOPIC_CHARS = 60;

interface Reflection {
  insights: { content: string; sources: number[] }[];
  profile: string;
}

interface Topic {
  text: string;
  /** Numbers of the summaries that it comes up in. */
  numbers: number[];
}

/** Words and what may stand inside of one; anything else could end the sentence that names the topic. */
const WORDS = /^[\p{L}\p{M}\p{N} '’-]+$/u;

/** A topic as compared: the forms of its words; '' when it is none that can be said anywhere. */
function keyOf(topic: string): string {
  if (topic.length > MAX_TOPIC_CHARS || !WORDS.test(topic) || !isPlain({ key: '', text: topic })) return '';
  return contentWords(topic, { common: true })
    .map(({ key }) => key)
    .join(' ');
}

/** All topics, those of most summaries first, ties in the order of the summaries. */
function topicsOf(summaries: Summary[]): Topic[] {
  const words = summaries.map(
    ({ summary, topics }) =>
      new Set(contentWords([summary, ...topics].join('\n'), { common: true }).map(({ key }) => key)),
  );
  const topics = new Map<string, Topic>();
  for (const text of summaries.flatMap((summary) => summary.topics)) {
    if (typeof text !== 'string') continue;
    const key = keyOf(text);
    if (key === '' || topics.has(key)) continue;
    const numbers = summaries.flatMap(({ n }, i) =>
      key.split(' ').every((word) => words[i]?.has(word)) ? [n] : [],
    );
    topics.set(key, { text: text.trim(), numbers });
  }
  return [...topics.values()].sort((a, b) => b.numbers.length - a.numbers.length);
}

/** The shortest sentence of a summary, the latest first, that speaks of one of the topics. */
function quoteFor(topics: Topic[], summaries: Summary[]): string {
  const keys = topics.map(({ text }) => keyOf(text).split(' '));
  for (const { summary } of [...summaries].reverse()) {
    const found = quotesOf(summary).filter((quote) => {
      const words = new Set(contentWords(quote, { common: true }).map(({ key }) => key));
      return keys.some((key) => key.every((word) => words.has(word)));
    });
    if (found.length > 0) return found.reduce((best, next) => (next.length < best.length ? next : best));
  }
  return '';
}

/** What came up in the same conversations more than once, with a sentence of one of them. */
function insightsOf(topics: Topic[], summaries: Summary[]): Reflection['insights'] {
  const groups = new Map<string, Topic[]>();
  for (const topic of topics) {
    const key = topic.numbers.join(' ');
    if (topic.numbers.length > 1) groups.set(key, [...(groups.get(key) ?? []), topic]);
  }
  return [...groups.values()].slice(0, INSIGHTS).map((group) => {
    const named = group.slice(0, TOPICS_PER_INSIGHT);
    const sources = named[0]?.numbers ?? [];
    const cited = summaries.filter(({ n }) => sources.includes(n));
    const quote = quoteFor(named, cited);
    const pattern = `The user came back to ${listed(named.map(({ text }) => text))}.`;
    return { content: quote === '' ? pattern : `${pattern} ${quote}`, sources };
  });
}

/** Whether one of the subjects has all words of a key: "roll" is no subject beside "rock and roll". */
function isNamed(key: string, subjects: Map<string, string>): boolean {
  return [...subjects.keys()].some((other) => {
    const words = other.split(' ');
    return key.split(' ').every((word) => words.includes(word));
  });
}

const SUBJECTS = /^The user speaks of (.+)\.$/u;

/** The subjects of now, then those of the profile before, then its other sentences. */
function profileOf(topics: Topic[], before: string | null): string {
  const earlier = before === null ? [] : quotesOf(before);
  const known = earlier.flatMap((sentence) => SUBJECTS.exec(sentence)?.[1]?.split(/, | and /u) ?? []);
  const subjects = new Map<string, string>();
  for (const text of [...topics.slice(0, NEW_PROFILE_TOPICS).map(({ text }) => text), ...known]) {
    const key = keyOf(text);
    if (key !== '' && !isNamed(key, subjects) && subjects.size < PROFILE_TOPICS) subjects.set(key, text);
  }
  const kept = earlier.filter((sentence) => !SUBJECTS.test(sentence)).slice(0, KEPT_SENTENCES);
  const spoken = subjects.size === 0 ? [] : [`The user speaks of ${listed([...subjects.values()])}.`];
  return [...spoken, ...kept].join(' ');
}

/**
 * What the judge of real answers leaves of this one: side by side two sentences may read as something that neither says. Judged until
 * nothing more is left out, as what was on both sides of it has come together.
 */
function judged(request: Request, said: Reflection): Reflection {
  const { summaries, profile } = request;
  const input = {
    summaries: summaries.map(({ n, summary, topics }) => ({
      sessionId: String(n),
      summary,
      topics,
      at: Number.NaN,
    })),
    profile,
  };
  const verdict = judgeReflection(input, storedAs(said));
  if (!verdict.ok) return { insights: [], profile: '' };
  const { counts } = verdict;
  if (counts.kept === counts.offered && counts.profileInvented === 0) return said;
  const insights = verdict.insights.map(({ content, sessionIds }) => ({
    content,
    sources: sessionIds.map(Number),
  }));
  return judged(request, { insights, profile: verdict.profile ?? '' });
}

/** Looks back on conversations by counting what comes up again. An empty profile means: the one before stays. */
export function reflect(request: Request): string {
  const { summaries, profile } = request;
  const topics = topicsOf(summaries);
  const said = { insights: insightsOf(topics, summaries), profile: profileOf(topics, profile) };
  return JSON.stringify(judged(request, said));
}
