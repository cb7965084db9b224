import type { FusionFailure, LaneWord } from '@slowwave/fusion';
import { type Html, html } from './html.ts';

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

/** How a state is shown: a tone, a sign that needs no colour, and what people call it. */
interface Mark {
  tone: Tone;
  sign: string;
  word: string;
}

const mark = (tone: Tone, sign: string, word: string): Mark => ({ tone, sign, word });

const FUSION: Record<string, Mark> = {
  planned: mark('info', '…', 'planned'),
  generated: mark('info', '…', 'generated'),
  review: mark('warn', '?', 'waits for review'),
  applied: mark('good', '✓', 'applied'),
  stale: mark('plain', '↻', 'stale'),
  failed: mark('bad', '✗', 'failed'),
  rejected: mark('plain', '–', 'rejected'),
  expired: mark('plain', '⌛', 'expired'),
  undone: mark('plain', '↶', 'undone'),
  forgotten: mark('plain', '∅', 'forgotten'),
  closed: mark('plain', '▪', 'closed'),
};
const RUN: Record<string, Mark> = {
  requested: mark('info', '…', 'requested'),
  running: mark('info', '▶', 'running'),
  completed: mark('good', '✓', 'completed'),
  failed: mark('bad', '✗', 'failed'),
  abandoned: mark('warn', '↻', 'abandoned'),
  cancelled: mark('plain', '■', 'cancelled'),
};
const STEP: Record<string, Mark> = {
  done: mark('good', '✓', 'done'),
  skipped: mark('plain', '–', 'skipped'),
  failed: mark('bad', '✗', 'failed'),
};
const CONFLICT: Record<string, Mark> = {
  reported: mark('info', '…', 'not labelled yet'),
  open: mark('warn', '?', 'open'),
  resolved: mark('good', '✓', 'settled'),
};
const BAND: Record<string, Mark> = {
  active: mark('info', '●', 'active'),
  dormant: mark('warn', '◐', 'dormant'),
  archived: mark('plain', '○', 'faded'),
};

const kinds = { fusion: FUSION, run: RUN, step: STEP, conflict: CONFLICT, band: BAND };

/** A state as a small label; one that is not known yet is shown by its own name. */
export function stateMark(kind: keyof typeof kinds, state: string): Html {
  const { tone, sign, word } = kinds[kind][state] ?? mark('plain', '·', state);
  return toned(tone, sign, word);
}

export function toned(tone: Tone, sign: string, word: string): Html {
  return html`<span class="mark ${tone}" data-sign="${sign}">${word}</span>`;
}

/** Why a fusion did not come to pass, for people. */
const FAILURES: Record<FusionFailure, string> = {
  not_shorter: 'The text is not shorter than its sources together.',
  invalid_output: 'The model gave no answer of the form that was asked for.',
  refused: 'The model refused to answer.',
  truncated: 'The answer was cut off at its greatest length.',
  share_exceeded: 'One run may not supersede so large a share of the memories of a user.',
  provider_error: 'The model could not be asked.',
};

/** What the gate made of a statement, for people. */
const LANES: Record<LaneWord, string> = {
  repeat: 'repeats its sources word for word',
  judged: 'accepted by the judge',
  form: 'too long, or of the wrong sources',
  floor: 'a hard fact is lost or invented',
  no_judge: 'no repetition, and there is no judge',
  known: 'taken back or turned down before',
  over_share: 'more than one run may supersede',
  lost: 'the judge found something lost',
  added: 'the judge found something added',
  differs: 'the judge found that it says something else',
  canary: 'the judge was wrong about a known item, so that its answer counts for nothing',
  unreadable: 'the judge gave no answer of the form that was asked for',
  refused: 'the judge refused to answer',
  truncated: 'the judge was cut off',
  incomplete: 'the judge left something out',
  misquoted: 'the judge quoted words that do not stand there',
};

export const laneText = (lane: string): string => LANES[lane as LaneWord] ?? codeText(lane);

/** A failure code in words; codes of a provider carry its own behind them. */
export function failureText(code: string | null): string {
  if (code === null) return 'It failed without a reason on record.';
  const known = (Object.keys(FAILURES) as FusionFailure[]).find(
    (failure) => code === failure || code.startsWith(`${failure}_`),
  );
  return known ? FAILURES[known] : 'It failed for a reason that is no judgement of the gate.';
}

/** The words of a code: "mode_off" becomes "mode off". */
export const codeText = (code: string): string => code.replaceAll('_', ' ');

export const TIER_TEXTS = {
  light: 'every few minutes, when something is due',
  deep: 'every six hours',
  sleep: 'once a night, in quiet hours',
} as const;
