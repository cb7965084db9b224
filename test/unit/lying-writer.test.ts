import { createHash } from 'node:crypto';
import {
  askModel,
  buildStatementsRequest,
  type Cluster,
  decideStatements,
  floorProblems,
  type StatementsVerdict,
} from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { createLyingScript, LIES, type Lie, tellLie, tellTruth } from '../fakes/lying-writer.ts';
import { createStatementModel, type ShownNote, type StatementScript } from '../fakes/statement-model.ts';
import { codeOf, stormFacts } from '../fault/invariants/facts.ts';
import { createRandom } from '../fault/storm/random.ts';
import { claimsOf, leftOut, unsupported } from '../fixtures/facts/claims.ts';
import { notesOfPeople, TOPICS } from '../fixtures/facts/people.ts';

const owner = { tenant: 't', user: 'ana' };

describe('claimsOf', () => {
  it.each([
    ['A jar labelled K101 stands in the cellar.', ['thing|jar|labelled|k101|cellar']],
    ['jar labelled K101 in cellar beside heronx.', ['thing|jar|labelled|k101|cellar', 'beside|k101|heronx']],
    [
      'jar labelled K101 and bicycle marked K102 in shed.',
      ['thing|jar|labelled|k101|shed', 'thing|bicycle|marked|k102|shed'],
    ],
    ['cellar labelled K101 in jar.', ['thing|cellar|labelled|k101|jar']],
    ['jar labelled K101 not in cellar', ['words|jar|labelled|k101|not|cellar']],
    ['Mia is allergic to peanuts.', ['allergy|mia|peanuts']],
    [
      'Mia and Leo are allergic to peanuts; Zoe to latex.',
      ['allergy|mia|peanuts', 'allergy|leo|peanuts', 'allergy|zoe|latex'],
    ],
    ['Paul lent Nina the saw with the number K7 on 3 May 2025.', ['loan|paul|nina|saw|k7|3 may 2025']],
    ['Nina lent Paul saw K7 on 3 May 2025', ['loan|nina|paul|saw|k7|3 may 2025']],
    [
      'Mia takes 5 mg, Leo 10 mg and Zoe 20 mg of cetirizine every morning.',
      ['dose|mia|cetirizine|5', 'dose|leo|cetirizine|10', 'dose|zoe|cetirizine|20'],
    ],
    ['Ben owns the hens.', ['words|ben|owns|hens']],
    ['', []],
  ])('%j: %j', (text, claims) => {
    expect([...claimsOf(text)]).toEqual(claims);
  });
});

/** Notes as a request shows them, of every form and of many seeds. */
const NOTES: [string, ShownNote[]][] = Array.from({ length: 60 }, (_, seed) => {
  const random = createRandom(seed);
  const count = 2 + random.below(4);
  const topic = random.pick([...TOPICS, 'thing'] as const);
  const texts =
    topic === 'thing'
      ? stormFacts(owner, [count], 0)[0]!.map(({ content }) => content)
      : notesOfPeople(random, { topic, count, codeOf: (nth) => codeOf(owner, nth) });
  return [`${seed}, ${topic}`, texts.map((text, at) => ({ n: at + 1, date: null, text }))];
});

const lieOf = (notes: ShownNote[], lie: Lie) => {
  const answer = tellLie(notes, lie);
  return answer === null ? [] : [answer];
};
const sourcesOf = (notes: readonly ShownNote[], sources: readonly number[]) =>
  sources.map((number) => notes[number - 1]!.text);

describe('a lying writer', () => {
  it('notes of every form: the reader finds every lie, and nothing wrong with the truth', () => {
    for (const [seed, notes] of NOTES) {
      for (const { text, sources } of tellTruth(notes).statements) {
        const own = sourcesOf(notes, sources);
        expect([unsupported(text, own), leftOut(text, own)], `${seed}: ${text}`).toEqual([[], []]);
      }
      for (const { text, sources } of LIES.flatMap((lie) => lieOf(notes, lie)).flatMap(
        (one) => one.statements,
      ))
        expect(unsupported(text, sourcesOf(notes, sources)).length, `${seed}: ${text}`).toBeGreaterThan(0);
    }
  });

  it('tells lies of every kind about notes of every form, and most of them break no floor', () => {
    const all = NOTES.flatMap(([, notes]) =>
      LIES.flatMap((lie) =>
        lieOf(notes, lie).flatMap(({ statements }) =>
          statements.map(({ text, sources }) => {
            const said = sourcesOf(notes, sources).map((content) => ({ content, day: null }));
            return { lie, isFloor: floorProblems(said, text).length > 0 };
          }),
        ),
      ),
    );
    for (const lie of LIES) expect(all.filter((one) => one.lie === lie).length, lie).toBeGreaterThan(5);
    const soft = all.filter(({ isFloor }) => !isFloor);
    expect(new Set(soft.map(({ lie }) => lie))).toEqual(new Set(LIES));
    expect(soft.length).toBeGreaterThan(all.length / 2);
  });

  it('of one seed: the same answer to the same notes, and another one to a repair', () => {
    const write = (seed: number, isRepair = false) =>
      JSON.stringify(NOTES.map(([, notes]) => createLyingScript(seed).write(notes, isRepair)));
    expect(write(1)).toBe(write(1));
    expect(new Set([write(1), write(2), write(1, true)]).size).toBe(3);
  });
});

const clusterOf = (notes: readonly ShownNote[]): Cluster => ({
  members: notes.map(({ text: content }, at) => ({
    ...{
      id: `n${at + 1}`,
      contentHash: `h${at}`,
      version: 1,
      content,
      category: 'fact',
      memoryType: 'regular',
    },
    ...{ origin: 'user', visibility: 'private', importance: 5, confidence: 0.8, trust: 0.8, prominence: 0.3 },
    ...{ confirmations: 0, documentDate: 0, eventDate: null, validFrom: null, validTo: null, createdAt: 0 },
  })),
  relations: [],
});

/** What the product makes of the answers of a script, floor, votes and repair included. */
async function decide(notes: readonly ShownNote[], script: StatementScript): Promise<StatementsVerdict> {
  const model = createStatementModel(script);
  const cluster = clusterOf(notes);
  return decideStatements(cluster, await askModel(model, buildStatementsRequest(cluster)), {
    ...{ tier: 'deep', at: 0, latestCount: 1_000, alreadySuperseded: 0, repairs: true },
    judge: {
      isExamined: false,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
      ask: ({ request }) => askModel(model, request),
    },
  });
}

describe('decideStatements of a lying writer', () => {
  it('an honest judge: only what its own sources say is accepted, whatever was mended', async () => {
    const script = createLyingScript('seed');
    let accepted = 0;
    for (const [, notes] of NOTES) {
      const verdict = await decide(notes, script);
      for (const { content, coveredIds } of verdict.ok ? verdict.derived : []) {
        const own = notes.filter((_, at) => coveredIds.includes(`n${at + 1}`)).map(({ text }) => text);
        expect([unsupported(content, own), leftOut(content, own)]).toEqual([[], []]);
        accepted += 1;
      }
    }
    const { proposed, judged } = script.counts();
    for (const lie of LIES) expect(proposed[lie], lie).toBeGreaterThan(0);
    expect(accepted).toBeGreaterThan(10);
    expect(judged.changed).toBeGreaterThan(10);
  });

  it('a judge that accepts everything: the floor holds, and no source of a reported conflict is touched', async () => {
    const script: StatementScript = { ...createLyingScript('seed'), judge: () => 'same' };
    let lies = 0;
    for (const [, notes] of NOTES) {
      const verdict = await decide(notes, script);
      if (!verdict.ok) throw new Error(verdict.reason);
      const disputed = new Set(verdict.conflicts.flatMap(({ a, b }) => [a, b]));
      for (const { content, coveredIds } of verdict.derived) {
        const own = notes.filter((_, at) => coveredIds.includes(`n${at + 1}`)).map(({ text }) => text);
        const said = own.map((text) => ({ content: text, day: '1970-01-01' }));
        expect(floorProblems(said, content)).toEqual([]);
        expect(coveredIds.filter((id) => disputed.has(id))).toEqual([]);
        lies += unsupported(content, own).length > 0 ? 1 : 0;
      }
    }
    expect(lies).toBeGreaterThan(10);
  });
});
