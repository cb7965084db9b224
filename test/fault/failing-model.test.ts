import { createHash } from 'node:crypto';
import {
  buildStatementsRequest,
  type Cluster,
  type CompletionRequest,
  decideStatements,
  ModelError,
  type StoredAnswer,
  textOf,
} from '@slowwave/fusion';
import { createAnthropicProvider, createModels } from '@slowwave/models';
import { afterEach, describe, expect, it } from 'vitest';
import { FACT_SCRIPT } from '../fakes/fact-model.ts';
import { answerStatements } from '../fakes/statement-model.ts';
import { until } from '../fixtures/wait.ts';
import {
  type FailingModel,
  type FailingModelOptions,
  INVENTED,
  MANNERS,
  type Manner,
  startFailingModel,
  UNSTEADY,
} from './failing-model.ts';
import { plantedIn } from './invariants/facts.ts';
import { AT, OTHER_STEPS, stormClusters } from './questions.ts';

/** Patience with a model that never answers; with one that does there is no end of it. */
const CALL_MS = 3_000;
const PATIENT_MS = 60_000;

const stopped: FailingModel[] = [];
afterEach(async () => {
  for (const model of stopped.splice(0)) await model.stop();
});

async function start(options: Partial<FailingModelOptions> & { timeoutMs?: number } = {}) {
  const model = await startFailingModel({ seed: 7, slowMs: 10 * PATIENT_MS, delayMs: [1, 5], ...options });
  stopped.push(model);
  const provider = createAnthropicProvider({
    apiKey: 'k',
    model: 'claude-haiku-5-5',
    baseUrl: model.url,
    timeoutMs: options.timeoutMs ?? PATIENT_MS,
  });
  /** The answer as the product stores it, or the code of the error. */
  async function ask(request: CompletionRequest) {
    try {
      const response = await provider.complete(request);
      const { stopReason, usage, model: named } = response;
      return { text: textOf(response), stopReason, ...usage, model: named };
    } catch (error) {
      if (error instanceof ModelError) return error;
      throw error;
    }
  }
  return { model, ask };
}

const CONTEXT = { tier: 'deep', at: AT, latestCount: 1_000, alreadySuperseded: 0, repairs: false } as const;

/** What the gate makes of an answer, with the honest judge of such facts. */
const decide = (cluster: Cluster, answer: StoredAnswer) =>
  decideStatements(cluster, answer, {
    ...CONTEXT,
    judge: {
      isExamined: false,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
      async ask({ request }) {
        const content = request.messages.map((message) => message.content).join('\n');
        const text = JSON.stringify(answerStatements(content, FACT_SCRIPT).answer());
        return { text, stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, model: 'judge' };
      },
    },
  });

describe('a model that fails', () => {
  it('answers rightly what a storm seeds: the gate takes every statement, with all its sources', async () => {
    const { model, ask } = await start();
    for (const cluster of stormClusters(4)) {
      const answer = await ask(buildStatementsRequest(cluster));
      if (answer instanceof ModelError) throw answer;
      const verdict = await decide(cluster, answer);
      expect(verdict).toMatchObject({ ok: true, decided: [{ lane: 'judged' }] });
      expect(verdict.ok && verdict.derived[0]!.coveredIds).toHaveLength(cluster.members.length);
    }
    expect(model.counts()).toMatchObject({ calls: 12, delivered: 12, lost: 0, refused: 0, repeated: 0 });
  });

  it.each(['inventing', 'swapping', 'doubling'] as const)(
    'is not believed by the gate when it answers by %s',
    async (manner) => {
      const { ask } = await start({ weights: { [manner]: 1 } });
      for (const cluster of stormClusters(2)) {
        const answer = await ask(buildStatementsRequest(cluster));
        if (answer instanceof ModelError) throw answer;
        if (manner === 'inventing') expect(answer.text).toContain(INVENTED);
        expect(await decide(cluster, answer)).toMatchObject({ ok: true, derived: [] });
      }
    },
  );

  it('is not believed that it has said everything when it loses a fact: all sources stay', async () => {
    const { ask } = await start({ weights: { losing: 1 } });
    for (const cluster of stormClusters(2)) {
      const answer = await ask(buildStatementsRequest(cluster));
      if (answer instanceof ModelError) throw answer;
      const { statements } = JSON.parse(answer.text) as { statements: { text: string; sources: number[] }[] };
      const codes = cluster.members.map(
        ({ content }) => plantedIn(content).find((word) => word.startsWith('K'))!,
      );
      expect(codes.filter((code) => !statements[0]!.text.includes(code))).toHaveLength(1);
      expect(statements[0]!.sources).toHaveLength(codes.length);
      expect(await decide(cluster, answer)).toMatchObject({ ok: true, derived: [] });
    }
  });

  it.each<[Manner, string]>([
    ['rate-limited', 'rate_limited'],
    ['overloaded', 'overloaded'],
    ['failing', 'server_error'],
    ['hang', 'timeout'],
    ['stall', 'timeout'],
    ['slow', 'timeout'],
    ['reset', 'network'],
    ['page', 'invalid_response'],
  ])('%s is for its client: %s', async (manner, code) => {
    const timeoutMs = code === 'timeout' ? CALL_MS : PATIENT_MS;
    const { model, ask } = await start({ weights: { [manner]: 1 }, retryAfterSeconds: 0.25, timeoutMs });
    const answer = await ask(buildStatementsRequest(stormClusters(1)[0]!));
    expect(answer).toBeInstanceOf(ModelError);
    expect(answer).toMatchObject({ code });
    if (manner === 'rate-limited') expect(answer).toMatchObject({ retryAfterMs: 250 });
    await until('the end of the call', () => model.counts().open === 0);
    const counts = model.counts();
    expect(counts.byManner[manner]).toBe(1);
    expect([counts.calls, counts.delivered + counts.refused + counts.lost]).toEqual([1, 1]);
    expect(counts.lost).toBe(['hang', 'stall', 'slow', 'reset'].includes(manner) ? 1 : 0);
    expect(counts.refused).toBe(['rate-limited', 'overloaded', 'failing'].includes(manner) ? 1 : 0);
  });

  it('answers a batch question by question, each counted once, however often its results are read', async () => {
    const model = await startFailingModel({ seed: 7, weights: { right: 1, failing: 1 } });
    stopped.push(model);
    const { batches } = createModels({
      model: { provider: 'anthropic', apiKey: 'k', model: 'm', baseUrl: model.url, timeoutMs: PATIENT_MS },
      embedder: { embedder: 'offline' },
    });
    const { api, bodyOf } = batches!;
    const requests = stormClusters(4).map((cluster, at) => ({
      id: `q${at}`,
      body: bodyOf('m', buildStatementsRequest(cluster)),
    }));
    const { id, ended } = await api.create(requests);
    const read = async () => {
      const outcomes: string[] = [];
      for await (const result of api.results(id)) outcomes.push(result!.outcome);
      return outcomes;
    };
    const outcomes = await read();
    expect(await read()).toEqual(outcomes);
    expect([ended, (await api.retrieve(id)).requests, (await api.list(0)).length]).toEqual([true, 12, 1]);
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'errored']));
    const answered = outcomes.filter((outcome) => outcome === 'answered').length;
    expect(model.counts()).toMatchObject({
      ...{ calls: 12, batched: 12, delivered: answered, refused: 12 - answered, lost: 0 },
    });
  });

  it.each<[Manner, string]>([
    ['refusal', 'refused'],
    ['truncated', 'truncated'],
    ['garbled', 'invalid_output'],
  ])('%s is for the judge: %s', async (manner, reason) => {
    const { ask } = await start({ weights: { [manner]: 1 } });
    const [cluster] = stormClusters(1);
    const answer = await ask(buildStatementsRequest(cluster!));
    if (answer instanceof ModelError) throw answer;
    expect(await decide(cluster!, answer)).toMatchObject({ ok: false, reason });
  });

  it('does the same for the same seed, in whatever order it is asked', async () => {
    const requests = stormClusters(10).map((cluster) => buildStatementsRequest(cluster));
    const runs = [requests, [...requests].reverse()].map(async (order) => {
      const { model, ask } = await start({
        weights: { ...UNSTEADY, hang: 0, stall: 0, slow: 0 },
      });
      const endings = new Map<CompletionRequest, string>();
      await Promise.all(
        order.map(async (request) => {
          const answer = await ask(request);
          endings.set(request, answer instanceof ModelError ? answer.code : answer.text);
        }),
      );
      return { endings: requests.map((request) => endings.get(request)), counts: model.counts() };
    });
    const [one, other] = await Promise.all(runs);
    expect(other!.endings).toEqual(one!.endings);
    expect(other!.counts.byManner).toEqual(one!.counts.byManner);
    expect(MANNERS.filter((manner) => one!.counts.byManner[manner] > 0).length).toBeGreaterThan(3);
  });

  it('knows what it was asked again after a right answer, and takes other weights at any time', async () => {
    const { model, ask } = await start({ weights: { failing: 1 } });
    const request = buildStatementsRequest(stormClusters(1)[0]!);
    await ask(request);
    model.setWeights({ right: 1 });
    await ask(request);
    expect(model.counts()).toMatchObject({ calls: 2, refused: 1, delivered: 1, repeated: 0 });
    await ask(request);
    await until('the last answer to be gone', () => model.counts().open === 0);
    expect(model.counts()).toMatchObject({ calls: 3, delivered: 2, repeated: 1 });
    expect([...model.asked().values()]).toEqual([{ calls: 3, answered: 2 }]);
  });

  it.each(OTHER_STEPS)(
    'answers about %s too, and is not believed what it invents',
    async (step, question) => {
      const { model, ask } = await start();
      const answers = new Set<string>();
      for (const manner of ['right', 'losing', 'inventing', 'swapping', 'doubling'] as const) {
        model.setWeights({ [manner]: 1 });
        const answer = await ask(question.request);
        if (answer instanceof ModelError) throw answer;
        answers.add(answer.text);
        const verdict = question.judge(answer);
        if (manner === 'right') expect(verdict).toMatchObject({ ok: true });
        if (manner === 'inventing' && step !== 'labels') expect(answer.text).toContain(INVENTED);
        expect(JSON.stringify(verdict)).not.toContain(INVENTED);
      }
      expect(answers.size).toBe(5);
      expect(model.counts().byStep).toMatchObject({ [step]: 5, fusion: 0 });
    },
  );
});
