import { type Database, type EvaluatedMemory, listEvaluated, recall } from '@slowwave/db';
import {
  byCosine,
  createBm25,
  DIGEST_BUDGETS,
  DIGESTS,
  type DigestFigures,
  type DigestName,
  type Embedder,
  type EvaluatedText,
  figuresOf,
  type LLMProvider,
  placesBy,
  type QuestionScore,
  SEARCHES,
  type SearchName,
  type StageFigures,
  scoreDigest,
  scoreQuestion,
} from '@slowwave/fusion';
import { type AnsweredQuestion, answerQuestions } from './answering.ts';
import type { EvaluationSet } from './read.ts';

/** Draws of the random digest, of which the mean is told. */
const DRAWS = 20;
const RESULTS = 50;

interface Person {
  tenant: string;
  user: string;
  /** Everything, and those that may be found. */
  all: EvaluatedMemory[];
  texts: (EvaluatedText & { importance: number })[];
}

/** Measures a database as it is. Reads alone; questions are asked without being recorded. */
export async function measureStage(options: {
  database: Database;
  embedder: Embedder;
  set: EvaluationSet;
  nights: number;
  at: number;
  /** Answers the questions from what recall brings back; null: they are not answered. */
  answerer: LLMProvider | null;
  onProgress: (text: string, share?: number) => void;
}): Promise<StageFigures> {
  const { set, nights, answerer, onProgress } = options;
  const answered: AnsweredQuestion[] = [];
  const people = await peopleOf(options);
  const scores: Record<SearchName, QuestionScore[]> = { recall: [], bm25: [], cosine: [], newest: [] };
  for (const person of people) {
    const asked = set.questions.filter(
      ({ tenant, user }) => tenant === person.tenant && user === person.user,
    );
    const order = await createOrders(options, person);
    for (const [at, question] of asked.entries()) {
      onProgress(`${person.user}: question ${at + 1} of ${asked.length}`, (at + 1) / asked.length);
      for (const name of SEARCHES) {
        const texts = (await order[name](question.question)).slice(0, RESULTS);
        scores[name].push(scoreQuestion(question, texts));
        if (name === 'recall' && answerer) answered.push({ question, texts });
      }
    }
  }
  return {
    nights,
    store: storeOf(set, people),
    searches: bySearch((name) => figuresOf(scores[name])),
    digests: digestsOf(set, people),
    ...(answerer
      ? {
          answering: await answerQuestions(answerer, answered, dayOf(options.at), (done) =>
            onProgress(`answering: question ${done} of ${answered.length}`, done / answered.length),
          ),
        }
      : {}),
  };
}

async function peopleOf({
  database,
  embedder,
  set,
}: {
  database: Database;
  embedder: Embedder;
  set: EvaluationSet;
}): Promise<Person[]> {
  const names = new Map(
    set.questions.map(({ tenant, user }) => [JSON.stringify([tenant, user]), { tenant, user }]),
  );
  const people: Person[] = [];
  for (const { tenant, user } of names.values()) {
    const all = await database.withTenant(tenant, (tx) =>
      listEvaluated(tx, { tenant, user, model: embedder.model }),
    );
    const sources = sourcesOf(all);
    const texts = all
      .filter(({ isLatest }) => isLatest)
      .map((memory) => ({ ...textOf(memory, sources), importance: memory.importance }));
    people.push({ tenant, user, all, texts });
  }
  return people;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function textOf(
  memory: Pick<EvaluatedMemory, 'id' | 'content' | 'saidFrom' | 'saidTo'>,
  sources: ReadonlyMap<string, EvaluatedText['standsFor']>,
): EvaluatedText {
  const days = [...new Set([dayOf(memory.saidFrom), dayOf(memory.saidTo)])];
  return { content: memory.content, days, standsFor: sources.get(memory.id) ?? [] };
}

/** For each latest memory what it stands for: itself, and all that was superseded by it, however many times over. */
function sourcesOf(all: readonly EvaluatedMemory[]): Map<string, EvaluatedText['standsFor'][number][]> {
  const byId = new Map(all.map((memory) => [memory.id, memory]));
  const standing = new Map<string, { id: string; text: string }[]>();
  for (const memory of all) {
    if (memory.externalId === null) continue;
    let last = memory;
    while (last.supersededBy !== null) {
      const next = byId.get(last.supersededBy);
      if (!next) break;
      last = next;
    }
    const stands = { id: memory.externalId, text: memory.content };
    standing.set(last.id, [...(standing.get(last.id) ?? []), stands]);
  }
  return standing;
}

type Order = (question: string) => Promise<EvaluatedText[]> | EvaluatedText[];

/** How each search orders a person's memories for a question. */
async function createOrders(
  { database, embedder, at }: { database: Database; embedder: Embedder; at: number },
  { tenant, user, all, texts }: Person,
): Promise<Record<SearchName, Order>> {
  const sources = sourcesOf(all);
  const contents = texts.map(({ content }) => content);
  const vectors: Float32Array[] = [];
  for (let from = 0; from < contents.length; from += 100)
    vectors.push(...(await embedder.embed(contents.slice(from, from + 100))));
  const bm25 = createBm25(contents);
  const newest = [...texts].sort((a, b) => (b.days.at(-1)! > a.days.at(-1)! ? 1 : -1));
  return {
    recall: async (query) => {
      const found = await recall(database, embedder, {
        tenant,
        user,
        query,
        at,
        limit: RESULTS,
        silent: true,
      });
      return found.map(({ id, content, said }) =>
        textOf({ id, content, saidFrom: said.from, saidTo: said.to }, sources),
      );
    },
    bm25: (question) => bm25(question).map((place) => texts[place]!),
    cosine: async (question) => {
      const [vector] = await embedder.embed([question]);
      return byCosine(vectors, vector!).map((place) => texts[place]!);
    },
    newest: () => newest,
  };
}

function bySearch<T>(of: (name: SearchName) => T): Record<SearchName, T> {
  return { recall: of('recall'), bm25: of('bm25'), cosine: of('cosine'), newest: of('newest') };
}

function storeOf(set: EvaluationSet, people: readonly Person[]): StageFigures['store'] {
  const all = people.flatMap((person) => person.all);
  const active = all.filter(({ isLatest, isArchived }) => isLatest && !isArchived);
  return {
    memories: active.length,
    characters: active.reduce((sum, { content }) => sum + content.length, 0),
    vectors: active.filter(({ hasVector }) => hasVector).length,
    derived: active.filter(({ memoryType }) => memoryType === 'derived').length,
    superseded: all.filter(({ supersededBy }) => supersededBy !== null).length,
    archived: all.filter(({ isArchived }) => isArchived).length,
    duplicates: duplicatesOf(set, people),
    lengthRatio: median(people.flatMap(lengthRatios)),
  };
}

/** Restatements carry `metadata.restates`: the id of what they say again. */
function duplicatesOf(
  set: EvaluationSet,
  people: readonly Person[],
): { planted: number; left: number } | null {
  const standing = new Map<string, number>();
  for (const [at, { user, texts }] of people.entries()) {
    for (const [place, { standsFor }] of texts.entries())
      for (const { id } of standsFor) standing.set(JSON.stringify([user, id]), at * 1_000_000 + place);
  }
  const pairs = set.memories.flatMap(({ user, externalId, metadata }) =>
    typeof metadata.restates === 'string' ? [{ user, one: externalId, other: metadata.restates }] : [],
  );
  const placeOf = (user: string, id: string) => standing.get(JSON.stringify([user, id]));
  const left = pairs.filter(({ user, one, other }) => placeOf(user, one) !== placeOf(user, other));
  return pairs.length === 0 ? null : { planted: pairs.length, left: left.length };
}

function lengthRatios({ all }: Person): number[] {
  const sources = new Map<string, number>();
  for (const { supersededBy, content } of all)
    if (supersededBy !== null) sources.set(supersededBy, (sources.get(supersededBy) ?? 0) + content.length);
  return all.flatMap(({ id, memoryType, content }) => {
    const length = sources.get(id);
    return memoryType === 'derived' && length ? [content.length / length] : [];
  });
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Read without a question, the mean over the people. */
function digestsOf(set: EvaluationSet, people: readonly Person[]): StageFigures['digests'] {
  const orders: Record<DigestName, (texts: Person['texts'], draw: number) => Person['texts']> = {
    newest: (texts) => [...texts].sort((a, b) => (b.days.at(-1)! > a.days.at(-1)! ? 1 : -1)),
    important: (texts) => placesBy(texts.map(({ importance }) => importance)).map((place) => texts[place]!),
    random: (texts, draw) => shuffled(texts, draw + 1),
  };
  const meanOf = (name: DigestName, budget: number): DigestFigures => {
    const draws = name === 'random' ? DRAWS : 1;
    const figures = people.flatMap(({ tenant, user, texts }) => {
      const questions = set.questions.filter(
        (question) => question.tenant === tenant && question.user === user,
      );
      return Array.from({ length: draws }, (_, draw) =>
        scoreDigest(orders[name](texts, draw), questions, budget),
      );
    });
    const mean = (of: (one: DigestFigures) => number) =>
      figures.reduce((sum, one) => sum + of(one), 0) / Math.max(1, figures.length);
    return { lines: mean(({ lines }) => lines), words: mean(({ words }) => words) };
  };
  return Object.fromEntries(
    DIGESTS.map((name) => [
      name,
      Object.fromEntries(DIGEST_BUDGETS.map((budget) => [budget, meanOf(name, budget)])),
    ]),
  ) as StageFigures['digests'];
}

/** The same draw for the same seed, everywhere (a linear congruential generator). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const mixed = [...items];
  let state = seed >>> 0;
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}
