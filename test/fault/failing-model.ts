import { createHash } from 'node:crypto';
import { createRandom } from '@slowwave/fusion';
import { FACT_SCRIPT } from '../fakes/fact-model.ts';
import { questionOf, requestOf } from '../fakes/fuse.ts';
import { MESSAGES_DIALECT, MESSAGES_PATH, startMessagesServer } from '../fakes/messages-server.ts';
import type { Behaviour, RecordedCall } from '../fakes/scripted-server.ts';
import { createSleepModel } from '../fakes/sleep-model.ts';
import type { StatementScript } from '../fakes/statement-model.ts';
import { type BatchedCall, createFailingBatches } from './failing-batches.ts';
import { makeWrong, type Step, WRONGS, type Wrong } from './wrong-answers.ts';

/** Nobody has said it: it stands in no memory, so an answer with it must not become one. */
export { INVENTED } from '../fixtures/facts/sentences.ts';
export type { Step } from './wrong-answers.ts';

/**
 * - `right`, `slow`: an answer that the gate takes, after a short or a long time.
 * - `rate-limited`, `overloaded`, `failing`: 429 with `retry-after`, 529, 500.
 * - `hang`, `stall`, `reset`: no answer; half of one and then nothing; half of one and then a reset.
 * - `refusal`, `truncated`, `garbled`, `page`: a refusal; cut at the limit; no JSON; a page in the place of a message.
 * - `losing`, `inventing`, `swapping`, `doubling`: well formed and wrong (wrong-answers.ts).
 */
export const MANNERS = [
  'right',
  'slow',
  'rate-limited',
  'overloaded',
  'failing',
  'hang',
  'stall',
  'reset',
  'refusal',
  'truncated',
  'garbled',
  'page',
  ...WRONGS,
] as const;
export type Manner = (typeof MANNERS)[number];
export type Weights = Partial<Record<Manner, number>>;

/** A model that does its work. */
export const STEADY: Weights = { right: 1 };
/** A bad day: two of three answers are right, and every other manner comes up. */
export const UNSTEADY: Weights = {
  ...Object.fromEntries(MANNERS.map((manner) => [manner, 2])),
  right: 60,
};

/** Of one question: what a request asks, see `questionOf`. */
export interface Asked {
  calls: number;
  /** Right answers to it that have left whole: asked again after that, it is paid twice. */
  answered: number;
}

export interface ModelCounts {
  calls: number;
  /** Under way now. */
  open: number;
  byManner: Record<Manner, number>;
  byStep: Record<Step, number>;
  /** Answers with status 200 that have left whole: paid for. */
  delivered: number;
  /** Errors of the model's own that have left whole: nothing to pay. */
  refused: number;
  /** Calls that ended without a whole answer, whoever gave up. */
  lost: number;
  /** Of all calls, those that came in a batch. */
  batched: number;
  /** Calls for what had a right answer already that left whole. */
  repeated: number;
}

export interface FailingModel {
  /** Base URL of a client of the Messages API. */
  url: string;
  /** For calls from now on; a manner that is not named has no weight. */
  setWeights(weights: Weights): void;
  counts(): ModelCounts;
  /** By the hash of what is asked. */
  asked(): ReadonlyMap<string, Readonly<Asked>>;
  stop(): Promise<void>;
}

export interface FailingModelOptions {
  seed: number | string;
  /** Who writes statements and who judges them; default: `FACT_SCRIPT`, both honest. */
  script?: StatementScript;
  /** Default: `STEADY`. */
  weights?: Weights;
  /** Of a right answer, least and most, ms; default 5 to 50. */
  delayMs?: [number, number];
  /** Of a slow answer, ms; default 5,000. */
  slowMs?: number;
  /** What `rate-limited` asks to wait for, s; default 1. */
  retryAfterSeconds?: number;
}

const ERRORS: Partial<Record<Manner, number>> = { 'rate-limited': 429, overloaded: 529, failing: 500 };

/**
 * A fake of the Messages API, one by one and in batches, that answers every question of the tiers, rightly or not. What it does with a call hangs on the seed, the
 * question, how often it was asked, and the weights: not on the order in which calls arrive.
 */
export async function startFailingModel(options: FailingModelOptions): Promise<FailingModel> {
  let weights = options.weights ?? STEADY;
  const asked = new Map<string, Asked>();
  const underWay = new Map<number, { key: string; manner: Manner }>();
  const counts = emptyCounts();

  async function drawn(call: RecordedCall): Promise<{ key: string; manner: Manner; behaviour: Behaviour }> {
    const key = createHash('sha256').update(questionOf(call)).digest('hex').slice(0, 32);
    const question = asked.get(key) ?? { calls: 0, answered: 0 };
    asked.set(key, question);
    const random = createRandom(`${options.seed} ${key} ${question.calls}`);
    const manner = draw(weights, random());
    question.calls += 1;
    if (question.answered > 0) counts.repeated += 1;
    counts.byManner[manner] += 1;
    const { step, text } = await rightAnswer(call, options.script);
    counts.byStep[step] += 1;
    return { key, manner, behaviour: behaviourOf(manner, { step, text, late: random() }, options) };
  }

  async function script(call: RecordedCall): Promise<Behaviour> {
    const { key, manner, behaviour } = await drawn(call);
    underWay.set(call.index, { key, manner });
    return behaviour;
  }

  /** A question of a batch is paid for once the batch is taken, whether or not its worker hears of it. */
  async function batched(call: BatchedCall): Promise<unknown | null> {
    const { key, manner, behaviour } = await drawn(call);
    const message = messageOf(behaviour, call);
    counts.calls += 1;
    counts.batched += 1;
    if (message === null) counts.refused += 1;
    else {
      counts.delivered += 1;
      if (manner === 'right' || manner === 'slow') asked.get(key)!.answered += 1;
    }
    return message;
  }

  const batches = createFailingBatches(batched);
  const server = await startMessagesServer(script, {
    keptCalls: 0,
    otherwise: (call) => batches.answer(call),
    onEnd(call, isWhole) {
      // Of a batch each question counts, and not what is asked about the batch.
      if (call.path !== MESSAGES_PATH) return;
      counts.calls += 1;
      const known = underWay.get(call.index);
      underWay.delete(call.index);
      if (!isWhole || !known) counts.lost += 1;
      else if (ERRORS[known.manner] !== undefined) counts.refused += 1;
      else {
        counts.delivered += 1;
        if (known.manner === 'right' || known.manner === 'slow') asked.get(known.key)!.answered += 1;
      }
    },
  });
  return {
    url: server.url,
    setWeights(next) {
      weights = next;
    },
    counts: () => ({ ...structuredClone(counts), calls: counts.calls + underWay.size, open: underWay.size }),
    asked: () => asked,
    stop: () => server.stop(),
  };
}

function emptyCounts(): ModelCounts {
  const byManner = Object.fromEntries(MANNERS.map((manner) => [manner, 0])) as Record<Manner, number>;
  const byStep = { fusion: 0, judge: 0, summary: 0, labels: 0, rem: 0, reflection: 0 };
  return { calls: 0, open: 0, byManner, byStep, delivered: 0, refused: 0, lost: 0, batched: 0, repeated: 0 };
}

/** @param at from 0 up to but not 1 */
function draw(weights: Weights, at: number): Manner {
  const sum = MANNERS.reduce((total, manner) => total + (weights[manner] ?? 0), 0);
  if (sum <= 0) throw new Error('no manner has any weight');
  let left = at * sum;
  for (const manner of MANNERS) {
    left -= weights[manner] ?? 0;
    if (left < 0) return manner;
  }
  return 'right';
}

/** What a good model says; null when it would rather say nothing. */
async function rightAnswer(
  call: RecordedCall,
  script: StatementScript = FACT_SCRIPT,
): Promise<{ step: Step; text: string | null }> {
  const model = createSleepModel('sleep-model', script);
  const { content, stopReason } = await model.provider.complete(requestOf(call));
  const step = model.calls[0]?.kind ?? 'fusion';
  return { step, text: stopReason === 'refusal' ? null : (content[0]?.text ?? '') };
}

function behaviourOf(
  manner: Manner,
  answer: { step: Step; text: string | null; late: number },
  { delayMs = [5, 50], slowMs = 5_000, retryAfterSeconds = 1 }: FailingModelOptions,
): Behaviour {
  const delay = Math.round(delayMs[0] + answer.late * (delayMs[1] - delayMs[0]));
  switch (manner) {
    case 'rate-limited':
      return { kind: 'error', status: 429, retryAfter: String(retryAfterSeconds) };
    case 'overloaded':
    case 'failing':
      // With the whole request in the message, as some endpoints do: nothing of it may go on from there.
      return { kind: 'error', status: ERRORS[manner]!, echo: true };
    case 'hang':
    case 'stall':
    case 'reset':
    case 'refusal':
      return { kind: manner };
    case 'truncated':
      return { kind: 'truncated', text: (answer.text ?? '').slice(0, -20) };
    case 'garbled':
      return { kind: 'text', text: 'Certainly! {"statements": ', delayMs: delay };
    case 'page':
      return { kind: 'raw', body: '<html><body>Welcome</body></html>', contentType: 'text/html' };
    default:
      if (answer.text === null) return { kind: 'refusal' };
      return {
        kind: 'text',
        text: isWrong(manner) ? makeWrong(answer.text, manner, answer.step) : answer.text,
        delayMs: manner === 'slow' ? slowMs : delay,
      };
  }
}

/** A behaviour as a message; null where it ends in none. */
function messageOf(behaviour: Behaviour, call: RecordedCall): unknown | null {
  if (behaviour.kind === 'text') return MESSAGES_DIALECT.text(behaviour, call);
  if (behaviour.kind === 'refusal') return MESSAGES_DIALECT.refusal(call);
  return behaviour.kind === 'truncated' ? MESSAGES_DIALECT.truncated(behaviour.text ?? '', call) : null;
}

const isWrong = (manner: Manner): manner is Wrong => (WRONGS as readonly Manner[]).includes(manner);
