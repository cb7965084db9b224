import { readStoredAnswer, type UnreadableAnswer } from '../answer.ts';
import { isSafeText } from '../fence.ts';
import { wordingOf } from '../gate/wording.ts';
import type { StoredAnswer } from '../ports.ts';
import { type Profile, readProfile } from '../reading/profile.ts';
import { isGrounded } from './grounded.ts';
import {
  MAX_INSIGHT_CHARS,
  MAX_INSIGHTS,
  MAX_PROFILE_WORDS,
  type ReflectionInput,
  showProfile,
  showSummaries,
} from './reflection.ts';
import { cutSentences, splitSentences } from './sentences.ts';

export interface ReflectedInsight {
  content: string;
  /** The sessions whose summaries it rests on, in the order of the input. */
  sessionIds: string[];
}

/** offered = kept + malformed + tooLong + uncited + invented + repeated + surplus. */
export interface ReflectionCounts {
  offered: number;
  kept: number;
  /** Without a text that can be stored. */
  malformed: number;
  /** Not even the first sentence fits. */
  tooLong: number;
  /** Resting on no summary there is. */
  uncited: number;
  /** With a hard atom that none of the cited summaries has. */
  invented: number;
  /** The same wording again. */
  repeated: number;
  /** Beyond the most there may be. */
  surplus: number;
  /** Sentences of the profile left out for a hard atom that neither the summaries nor the profile before have. */
  profileInvented: number;
}

export type ReflectionVerdict =
  | { ok: true; insights: ReflectedInsight[]; profile: string | null; counts: ReflectionCounts }
  | { ok: false; reason: UnreadableAnswer };

/**
 * Judges a stored answer of a reflection. Pure and repeatable. An insight that may not stay is dropped and counted, and the others
 * stay; a long one is cut at the end of a sentence. Numbers of summaries that do not exist count as not cited. The profile is what is
 * left of the model's at the end of a sentence within the limit; null when nothing is, so that the one before stays. An answer without
 * a list of insights is `invalid_output`; one with an empty list is an answer.
 */
export function judgeReflection(input: ReflectionInput, answer: StoredAnswer): ReflectionVerdict {
  const reading = readStoredAnswer(answer, ['insights']);
  if (!reading.ok) return reading;
  const { insights: offered, profile } = reading.value;
  if (!Array.isArray(offered)) return { ok: false, reason: 'invalid_output' };
  const counts: ReflectionCounts = {
    offered: offered.length,
    kept: 0,
    malformed: 0,
    tooLong: 0,
    uncited: 0,
    invented: 0,
    repeated: 0,
    surplus: 0,
    profileInvented: 0,
  };
  const summaries = showSummaries(input).map(({ summary, topics }) =>
    readProfile([summary, ...topics].join('\n')),
  );
  const insights: ReflectedInsight[] = [];
  const known = new Set<string>();
  for (const item of offered as unknown[]) {
    const insight = readInsight(item, input, summaries, known);
    if (typeof insight === 'string') counts[insight] += 1;
    else if (insights.length === MAX_INSIGHTS) counts.surplus += 1;
    else insights.push(insight);
  }
  counts.kept = insights.length;
  return { ok: true, insights, profile: readNewProfile(profile, input, summaries, counts), counts };
}

/** @param known the wordings of the insights so far; this one's is added. */
function readInsight(
  item: unknown,
  input: ReflectionInput,
  summaries: Profile[],
  known: Set<string>,
): ReflectedInsight | 'malformed' | 'tooLong' | 'uncited' | 'invented' | 'repeated' {
  const { content, sources } = (typeof item === 'object' && item !== null ? item : {}) as Record<
    string,
    unknown
  >;
  if (typeof content !== 'string' || !isSafeText(content) || !/[\p{L}\p{N}]/u.test(content)) {
    return 'malformed';
  }
  const text = cutSentences(content.replace(/\s+/g, ' '), { chars: MAX_INSIGHT_CHARS });
  if (text === '') return 'tooLong';
  const cited = new Set(Array.isArray(sources) ? (sources as unknown[]) : []);
  const numbers = input.summaries.map((_, index) => index + 1).filter((number) => cited.has(number));
  if (numbers.length === 0) return 'uncited';
  const grounds = numbers.map((number) => summaries[number - 1]!);
  if (!isGrounded(text, grounds)) return 'invented';
  const wording = wordingOf(text);
  if (known.has(wording)) return 'repeated';
  known.add(wording);
  return { content: text, sessionIds: numbers.map((number) => input.summaries[number - 1]!.sessionId) };
}

function readNewProfile(
  value: unknown,
  input: ReflectionInput,
  summaries: Profile[],
  counts: ReflectionCounts,
): string | null {
  if (typeof value !== 'string' || !isSafeText(value)) return null;
  const before = showProfile(input);
  const sources = before === null ? summaries : [...summaries, readProfile(before)];
  const sentences = splitSentences(value.trim());
  const grounded = sentences.filter((sentence) => isGrounded(sentence, sources));
  counts.profileInvented = sentences.length - grounded.length;
  const profile = cutSentences(grounded.join(''), { words: MAX_PROFILE_WORDS });
  return /[\p{L}\p{N}]/u.test(profile) ? profile : null;
}
