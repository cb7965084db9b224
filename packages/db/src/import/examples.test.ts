import { readFileSync } from 'node:fs';
import { CATEGORIES, initialPeak, prominenceAt } from '@slowwave/fusion';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ImportedLine, parseImport } from './parse.ts';
import { lineOf, type MemoryRecord, type UserRecord } from './record.ts';

const DAY = 86_400_000;
const USERS = ['mara', 'kenji', 'aicha', 'tom'];
const fileAt = (name: string) => new URL(`../../../../examples/${name}`, import.meta.url);

const lines: ImportedLine[] = [];
const memories: MemoryRecord[] = [];
const users: UserRecord[] = [];
let newest = 0;

beforeAll(async () => {
  const now = Date.parse('2026-11-15T23:59:59Z');
  for await (const line of parseImport([readFileSync(fileAt('memories.jsonl'))], { now })) {
    lines.push(line);
    if (!line.ok) continue;
    if (line.record.kind === 'user') users.push(line.record);
    else if (line.record.kind === 'memory') memories.push(line.record);
  }
  newest = Math.max(...memories.map((memory) => memory.date));
});

const of = (user: string) => memories.filter((memory) => memory.user === user);

interface Pair {
  label: string;
  members: MemoryRecord[];
}

function plantedPairs(): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const memory of memories) {
    const { planted, pair } = memory.metadata;
    if (typeof planted !== 'string' || typeof pair !== 'string') continue;
    const known = pairs.get(pair);
    if (known) known.members.push(memory);
    else pairs.set(pair, { label: planted, members: [memory] });
  }
  return pairs;
}

test('every line is valid, none is given twice and every field is known', () => {
  expect(lines.filter((line) => !line.ok)).toEqual([]);
  expect(lines.filter((line) => line.ok && (line.duplicateOf !== null || line.unknown.length > 0))).toEqual(
    [],
  );
  expect(lines).toHaveLength(memories.length + users.length);
});

test('every user has a zone and quiet hours', () => {
  expect(users.map(({ user }) => user)).toEqual(USERS);
  expect(new Set(memories.map(({ user }) => user))).toEqual(new Set(USERS));
  for (const { timezone, quietStart, quietEnd } of users) {
    expect(timezone).not.toBeNull();
    expect(quietStart).not.toBe(quietEnd);
  }
});

describe.each(USERS)('%s', (user) => {
  test('has at least 110 memories over five to eight months, up to the last day', () => {
    const dates = of(user).map(({ date }) => date);
    expect(dates.length).toBeGreaterThanOrEqual(110);
    expect(new Date(Math.max(...dates)).toISOString()).toMatch(/^2026-11-15/);
    const months = (newest - Math.min(...dates)) / (30.4 * DAY);
    expect(months).toBeGreaterThan(5);
    expect(months).toBeLessThan(8.1);
    // No gap of more than a week: somebody talked all the time.
    const sorted = dates.sort((a, b) => a - b);
    expect(Math.max(...sorted.slice(1).map((date, i) => date - sorted[i]!))).toBeLessThan(7 * DAY);
  });

  test('has memories of all categories, types and origins', () => {
    const mine = of(user);
    for (const category of CATEGORIES) {
      expect(mine.filter((memory) => memory.category === category).length).toBeGreaterThanOrEqual(12);
    }
    const types = new Set(mine.map(({ memoryType }) => memoryType));
    expect(types).toEqual(new Set(['regular', 'static_profile', 'dynamic_profile']));
    expect(new Set(mine.map(({ source }) => source))).toEqual(new Set(['user', 'assistant', 'tool']));
    expect(mine.filter(({ source }) => source === 'user').length / mine.length).toBeGreaterThan(0.9);
  });

  test('has importances as agents give them: most in the middle, few at the ends', () => {
    const importances = of(user).map(({ importance }) => importance);
    const middle = importances.filter((importance) => importance >= 3 && importance <= 6);
    expect(middle.length / importances.length).toBeGreaterThan(0.85);
    expect(Math.min(...importances)).toBeLessThanOrEqual(2);
    expect(Math.max(...importances)).toBeGreaterThanOrEqual(9);
  });

  test('has relations, each to an earlier memory of the same user', () => {
    const byId = new Map(of(user).map((memory) => [memory.externalId, memory]));
    const relations = of(user).flatMap((memory) =>
      memory.relations.map((relation) => ({ memory, relation })),
    );
    expect(relations.length).toBeGreaterThanOrEqual(20);
    expect(new Set(relations.map(({ relation }) => relation.type))).toEqual(new Set(['EXTENDS', 'UPDATES']));
    for (const { memory, relation } of relations) {
      expect(byId.get(relation.target)?.date).toBeLessThanOrEqual(memory.date);
    }
  });

  test('does not repeat itself: no content twice, and openings differ', () => {
    const contents = of(user).map(({ content }) => content);
    expect(new Set(contents).size).toBe(contents.length);
    const openings = new Set(contents.map((content) => content.split(' ').slice(0, 4).join(' ')));
    expect(openings.size / contents.length).toBeGreaterThan(0.75);
  });

  test('has at least five dormant clusters that share their words', () => {
    expect(dormantClusters(of(user)).length).toBeGreaterThanOrEqual(5);
  });

  test('has duplicates, twins and contradictions planted in pairs', () => {
    const mine = [...plantedPairs().values()].filter(({ members }) => members[0]!.user === user);
    const count = (label: string) => mine.filter((pair) => pair.label === label).length;
    expect(count('duplicate')).toBeGreaterThanOrEqual(5);
    expect(count('twin')).toBeGreaterThanOrEqual(2);
    expect(count('contradiction')).toBeGreaterThanOrEqual(2);
  });
});

test.each(USERS)('%s has at most 120 memories, a third of which say again what another says', (user) => {
  const mine = of(user);
  expect(mine.length).toBeLessThanOrEqual(120);
  const byId = new Map(mine.map((memory) => [memory.externalId, memory]));
  const again = mine.filter(({ metadata }) => metadata.restates !== undefined);
  for (const { metadata, category, source, date } of again) {
    const first = byId.get(String(metadata.restates));
    expect(first).toMatchObject({ category, source });
    expect(first!.date).toBeLessThan(date);
  }
  const pairs = [...plantedPairs().values()].filter(
    ({ label, members }) => label === 'duplicate' && members[0]!.user === user,
  );
  expect((again.length + pairs.length) / mine.length).toBeGreaterThan(1 / 3);
});

test('each planted pair is two memories of one user under one label', () => {
  const pairs = plantedPairs();
  expect(pairs.size).toBeGreaterThanOrEqual(35);
  for (const { label, members } of pairs.values()) {
    expect(members).toHaveLength(2);
    const [a, b] = members as [MemoryRecord, MemoryRecord];
    expect(a.user).toBe(b.user);
    expect(b.metadata.planted).toBe(label);
    expect(['duplicate', 'twin', 'contradiction']).toContain(label);
  }
});

test('twins are of one category and say something else in a name, a number or a negation', () => {
  const hard = (content: string) => (content.match(/\d[\d:,.]*|\p{Lu}\p{Ll}+|\bnot\b/gu) ?? []).join(' ');
  for (const { label, members } of plantedPairs().values()) {
    if (label !== 'twin') continue;
    const [a, b] = members as [MemoryRecord, MemoryRecord];
    expect(a.category).toBe(b.category);
    expect(hard(a.content)).not.toBe(hard(b.content));
  }
});

test('several languages, scripts and emoji occur', () => {
  const langs = new Set(memories.flatMap(({ metadata }) => (metadata.lang ? [metadata.lang] : [])));
  expect(langs).toEqual(new Set(['de', 'ja', 'fr', 'ar']));
  const having = (script: RegExp) => memories.filter(({ content }) => script.test(content)).length;
  expect(having(/\p{Script=Hiragana}/u)).toBeGreaterThanOrEqual(5);
  expect(having(/\p{Script=Arabic}/u)).toBeGreaterThanOrEqual(3);
  expect(having(/[äöüß]/i)).toBeGreaterThanOrEqual(10);
  expect(having(/\p{Extended_Pictographic}/u)).toBeGreaterThanOrEqual(12);
  for (const memory of memories.filter(({ content }) => /\p{Script=Hiragana}/u.test(content))) {
    expect(memory.metadata.lang).toBe('ja');
  }
});

test('a record written and read again is the same', async () => {
  const text = [...users, ...memories].map(lineOf).join('\n');
  const again: unknown[] = [];
  for await (const line of parseImport(text)) again.push(line.ok ? line.record : line.reason);
  expect(again).toEqual([...users, ...memories]);
});

test('the plain text file is read whole', async () => {
  const read: ImportedLine[] = [];
  const options = { fileName: 'notes.txt', now: newest, defaults: { user: 'lena' } };
  for await (const line of parseImport([readFileSync(fileAt('notes.txt'))], options)) read.push(line);
  expect(read.length).toBeGreaterThanOrEqual(8);
  expect(read.every((line) => line.ok && line.duplicateOf === null)).toBe(true);
});

/** Words and their trigrams, each weighted by how rare it is among the user's memories. */
function vectorsOf(contents: string[]): Map<string, number>[] {
  const features = contents.map((content) => {
    const words = content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const grams = words.flatMap((word) => Array.from(word).map((_, at) => word.slice(at, at + 3)));
    return new Set([...words.map((word) => `word ${word}`), ...grams.filter((gram) => gram.length === 3)]);
  });
  const counts = new Map<string, number>();
  for (const feature of features.flatMap((set) => [...set]))
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
  return features.map((set) => {
    const weights = [...set].map((name): [string, number] => [
      name,
      Math.log(contents.length / counts.get(name)!),
    ]);
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(weights.map(([name, weight]) => [name, weight / length]));
  });
}

function cosine(a: Map<string, number>, b: Map<string, number>): number {
  let sum = 0;
  for (const [name, weight] of a) sum += weight * (b.get(name) ?? 0);
  return sum;
}

/**
 * Groups of three or more memories which, on the last day, are dormant (prominence from 0.1 to below 0.5), of one category
 * and origin, and each alike to the group's first by words alone.
 */
function dormantClusters(mine: MemoryRecord[]): MemoryRecord[][] {
  const vectors = vectorsOf(mine.map(({ content }) => content));
  const dormant = mine.flatMap((memory, at) => {
    const { category, memoryType, importance, date } = memory;
    const peak = initialPeak(importance);
    const decay = { category, memoryType, importance, confirmations: 0, peak, anchorAt: date, demotion: 1 };
    const prominence = prominenceAt(decay, newest);
    return prominence >= 0.1 && prominence < 0.5 ? [{ memory, vector: vectors[at]! }] : [];
  });
  const clusters: MemoryRecord[][] = [];
  const taken = new Set<MemoryRecord>();
  for (const { memory, vector } of dormant) {
    const group = dormant.filter(
      (other) =>
        !taken.has(other.memory) &&
        other.memory.category === memory.category &&
        other.memory.source === memory.source &&
        cosine(vector, other.vector) >= 0.2,
    );
    if (taken.has(memory) || group.length < 3) continue;
    for (const other of group) taken.add(other.memory);
    clusters.push(group.map((other) => other.memory));
  }
  return clusters;
}
