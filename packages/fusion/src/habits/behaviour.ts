import { DAY_MS } from '../decay.ts';
import { blendTopics, type TopicWeight } from './topics.ts';

/** What a user did on one local day, or in a part of it. */
export interface DayActivity {
  /** Local date, YYYY-MM-DD. */
  day: string;
  /** Messages of the user, their characters together, and how many of them are questions. */
  messages: number;
  characters: number;
  questions: number;
  /** Messages per local hour, 24 numbers. */
  hours: number[];
  /** Topics of the summaries of the day's sessions. */
  topics: string[];
  /** The day's last message, epoch milliseconds. */
  at: number;
}

export type Trend = 'rising' | 'falling' | 'steady';

/** An exponential average, and where the latest days stand against it. */
export interface Average {
  value: number;
  trend: Trend;
}

export type ResponseStyle = 'terse' | 'balanced' | 'expansive';

/** How a user behaves. Numbers and topics only: it says nothing about who the user is. */
export interface Behaviour {
  /** Messages of the user so far. */
  messages: number;
  /** Characters per message. */
  messageLength: Average;
  /** Share of the messages per local hour: 24 numbers, sum 1. */
  hours: number[];
  /** Local hours (0 to 23, ascending) with at least 1.5 times an even share. */
  activeHours: number[];
  /** At most 12, heaviest first. */
  topics: TopicWeight[];
  /** Share of the messages that are questions. */
  questionShare: Average;
  style: ResponseStyle;
  /** The last message that is in it, epoch milliseconds. */
  updatedAt: number;
}

const TIME_CONSTANT_DAYS = 7;
/** The deep tier runs every six hours: a part of a day counts for no less, however soon it follows on another. */
const MIN_ELAPSED_DAYS = 0.25;
/** However long a silence was, one day does not wipe out what was known. */
const MAX_ELAPSED_DAYS = TIME_CONSTANT_DAYS;
/** Days of fewer messages leave a trend as it is: they say too little. */
const TREND_MIN_MESSAGES = 5;
const LENGTH_TREND_RATIO = 0.2;
const QUESTION_TREND_SHARE = 0.1;
const ACTIVE_HOUR_SHARE = 1.5 / 24;
const TERSE_BELOW_CHARS = 80;
const EXPANSIVE_FROM_CHARS = 300;

/**
 * Takes days of activity into what is known of a user: exponential averages over time with a constant of 7 days (what is a week older
 * weighs 1/e), plain averages while there is little. Days without messages change nothing but topics. The order of `days` does not
 * matter, and taking them one by one gives the same as taking them together.
 *
 * @param before null for a user who is not known yet
 * @returns `before` when there is nothing to take in
 */
export function updateBehaviour(before: Behaviour | null, days: readonly DayActivity[]): Behaviour | null {
  const ordered = days
    .filter(({ messages, topics }) => messages > 0 || topics.length > 0)
    .sort((one, other) => one.at - other.at || compareText(one.day, other.day));
  let behaviour = before;
  for (const day of ordered) {
    if (behaviour !== null) behaviour = takeIn(behaviour, day);
    else if (day.messages > 0) behaviour = firstOf(day);
  }
  return behaviour;
}

function firstOf(day: DayActivity): Behaviour {
  const hours = sharesOf(day.hours) ?? Array.from({ length: 24 }, () => 1 / 24);
  const length = lengthOf(day);
  return {
    messages: day.messages,
    messageLength: { value: length, trend: 'steady' },
    hours,
    activeHours: activeHoursOf(hours),
    topics: blendTopics([], day.topics, 1),
    questionShare: { value: questionShareOf(day), trend: 'steady' },
    style: styleOf(length),
    updatedAt: day.at,
  };
}

function takeIn(before: Behaviour, day: DayActivity): Behaviour {
  const share = shareOfDay(before, day);
  const topics = day.topics.length > 0 ? blendTopics(before.topics, day.topics, share) : before.topics;
  if (!(day.messages > 0)) return { ...before, topics };
  const judged = day.messages >= TREND_MIN_MESSAGES;
  const shares = sharesOf(day.hours);
  const hours = shares
    ? normalised(before.hours.map((old, hour) => mix(old, shares[hour]!, share)))
    : before.hours;
  const length = lengthOf(day);
  const questions = questionShareOf(day);
  const messageLength: Average = {
    value: mix(before.messageLength.value, length, share),
    trend: judged
      ? trendOf(length - before.messageLength.value, LENGTH_TREND_RATIO * before.messageLength.value)
      : before.messageLength.trend,
  };
  return {
    messages: before.messages + day.messages,
    messageLength,
    hours,
    activeHours: activeHoursOf(hours),
    topics,
    questionShare: {
      value: mix(before.questionShare.value, questions, share),
      trend: judged
        ? trendOf(questions - before.questionShare.value, QUESTION_TREND_SHARE)
        : before.questionShare.trend,
    },
    style: styleOf(messageLength.value),
    updatedAt: Math.max(before.updatedAt, day.at),
  };
}

/**
 * How much of the new average is this day: by the time that it follows, and at least its share of all messages, so that a first message
 * does not weigh for weeks.
 */
function shareOfDay(before: Behaviour, day: DayActivity): number {
  const elapsedDays = (day.at - before.updatedAt) / DAY_MS;
  const counted = Math.min(MAX_ELAPSED_DAYS, Math.max(MIN_ELAPSED_DAYS, elapsedDays));
  const byTime = 1 - Math.exp(-counted / TIME_CONSTANT_DAYS);
  return day.messages > 0 ? Math.max(byTime, day.messages / (before.messages + day.messages)) : byTime;
}

function mix(old: number, now: number, share: number): number {
  return old + share * (now - old);
}

function trendOf(difference: number, limit: number): Trend {
  if (difference > limit) return 'rising';
  return difference < -limit ? 'falling' : 'steady';
}

function lengthOf({ characters, messages }: DayActivity): number {
  return characters / messages;
}

function questionShareOf({ questions, messages }: DayActivity): number {
  return Math.min(1, questions / messages);
}

/** Shares of 24 counts; null when they count nothing. */
function sharesOf(counts: readonly number[]): number[] | null {
  const hours = Array.from({ length: 24 }, (_, hour) => Math.max(0, counts[hour] ?? 0));
  return hours.some((count) => count > 0) ? normalised(hours) : null;
}

function normalised(values: number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => value / sum);
}

function activeHoursOf(hours: readonly number[]): number[] {
  return [...hours.keys()].filter((hour) => hours[hour]! >= ACTIVE_HOUR_SHARE);
}

function styleOf(length: number): ResponseStyle {
  if (length < TERSE_BELOW_CHARS) return 'terse';
  return length >= EXPANSIVE_FROM_CHARS ? 'expansive' : 'balanced';
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
