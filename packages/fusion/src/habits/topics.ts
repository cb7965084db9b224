/** What a user talks about, and how much of the talk it is: 0 to 1. */
export interface TopicWeight {
  topic: string;
  weight: number;
}

const MAX_TOPICS = 12;

/**
 * Moves the weights of topics towards those of a day. Spellings that differ in case or spacing only are one topic, shown as it was
 * written last.
 *
 * @param topics of the day, repetitions counting
 * @param share how much of the result is the day, 0 to 1
 * @returns the 12 heaviest
 */
export function blendTopics(
  before: readonly TopicWeight[],
  topics: readonly string[],
  share: number,
): TopicWeight[] {
  const weights = new Map<string, TopicWeight>();
  for (const { topic, weight } of before) add(weights, topic, weight * (1 - share));
  const named = topics.map((topic) => topic.trim().replace(/\s+/gu, ' ')).filter((topic) => topic !== '');
  for (const topic of named) add(weights, topic, share / named.length);
  return [...weights.values()]
    .sort((one, other) => other.weight - one.weight || (one.topic < other.topic ? -1 : 1))
    .slice(0, MAX_TOPICS);
}

function add(weights: Map<string, TopicWeight>, topic: string, weight: number): void {
  const key = topic.toLowerCase();
  weights.set(key, { topic, weight: (weights.get(key)?.weight ?? 0) + weight });
}
