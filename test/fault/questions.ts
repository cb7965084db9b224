import {
  buildLabelRequest,
  buildReflectionRequest,
  buildRemRequest,
  buildSummaryRequest,
  type Candidate,
  type Cluster,
  type CompletionRequest,
  type ConflictSide,
  judgeLabels,
  judgeReflection,
  judgeRem,
  judgeSummary,
  type RemNode,
  type StoredAnswer,
} from '@slowwave/fusion';
import { sentenceOf, stormFacts } from './invariants/facts.ts';
import type { Step } from './wrong-answers.ts';

/** The day of everything here. */
export const AT = Date.UTC(2026, 5, 1);

function clusterOf(texts: string[]): Cluster {
  const members = texts.map(
    (content, i): Candidate => ({
      id: `m${i}`,
      contentHash: `h${i}`,
      version: 1,
      content,
      category: 'fact',
      memoryType: 'regular',
      origin: 'user',
      visibility: 'private',
      importance: 5,
      confidence: 0.8,
      trust: 0.8,
      prominence: 0.3,
      confirmations: 0,
      documentDate: AT,
      eventDate: null,
      validFrom: null,
      validTo: null,
      createdAt: AT,
    }),
  );
  return { members, relations: [] };
}

/** Clusters as a storm seeds them. */
export function stormClusters(users: number): Cluster[] {
  return Array.from({ length: users }, (_, i) =>
    stormFacts({ tenant: 't', user: `user-${i}` }, [3, 4, 5], AT).map((chain) =>
      clusterOf(chain.map(({ content }) => content)),
    ),
  ).flat();
}

/** What a tier asks, and how it takes an answer. */
export interface Question {
  request: CompletionRequest;
  judge(answer: StoredAnswer): unknown;
}

/** What the tiers ask besides fusions. */
export const OTHER_STEPS = Object.entries(otherQuestions()) as [
  Exclude<Step, 'fusion' | 'judge'>,
  Question,
][];

function otherQuestions(): Record<Exclude<Step, 'fusion' | 'judge'>, Question> {
  const said = ['a', 'b'].map((user) => sentenceOf({ tenant: 't', user }, 3));
  const sides = said.map(
    (content) => ({ id: content, contentHash: content, content, version: 1 }) as ConflictSide,
  );
  const messages = said.map((content) => ({ role: 'user' as const, content, saidAt: AT }));
  const [node, other, third] = [...said, sentenceOf({ tenant: 't', user: 'c' }, 4)].map(
    (content, i): RemNode => ({
      id: `m${i}`,
      version: 1,
      content,
      category: 'fact',
      importance: 5,
      prominence: 0.5,
      documentDate: AT,
    }),
  );
  const seed = {
    seed: node!,
    candidates: [other!, third!].map((found) => ({ node: found, activation: 0.5 })),
  };
  const topics = ['suitcase', 'attic', 'stands'];
  const reflection = {
    summaries: said.map((summary, i) => ({ sessionId: `s${i}`, summary, topics, at: AT + i })),
    profile: null,
  };
  return {
    summary: { request: buildSummaryRequest(messages), judge: (answer) => judgeSummary(messages, answer) },
    labels: {
      request: buildLabelRequest([{ a: sides[0]!, b: sides[1]! }]),
      judge: (answer) => judgeLabels(1, answer),
    },
    rem: { request: buildRemRequest(seed), judge: (answer) => judgeRem(seed, answer) },
    reflection: {
      request: buildReflectionRequest(reflection),
      judge: (answer) => judgeReflection(reflection, answer),
    },
  };
}
