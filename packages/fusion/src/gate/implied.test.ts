import { describe, expect, it } from 'vitest';
import { type HardFacts, readHardFacts } from './hard-facts.ts';
import { isImplied } from './implied.ts';

const COUNT = 1_500;
const listOf = (pieceOf: (n: number) => string): string =>
  Array.from({ length: COUNT }, (_, n) => pieceOf(1_000 + n)).join(', ');

/** The same reading, which counts how often the value of a fact is looked at. */
function counted(reading: HardFacts): { reading: HardFacts; looks: () => number } {
  let looks = 0;
  const facts = reading.facts.map((fact) => ({
    ...fact,
    get value() {
      looks += 1;
      return fact.value;
    },
  }));
  return { reading: { ...reading, facts }, looks: () => looks };
}

describe('isImplied', () => {
  it.each([
    ['weeks beside other weeks', (n: number) => `${n} weeks`, (n: number) => `${n + 5_000} weeks`],
    ['weeks beside days', (n: number) => `${n} weeks`, (n: number) => `${n * 7 + 1} days`],
    ['bounds', (n: number) => `over ${n} kg`, (n: number) => `${n + 5_000} kg`],
    ['bounds beside amounts within them', (n: number) => `over ${n} kg`, (n: number) => `${n + 1} kg`],
    ['rates', (n: number) => `${n} times`, (n: number) => `${n} kg`],
    ['months', () => 'in May 2024', (n: number) => `on ${n + 1_000}-05-04`],
  ])('thousands of lost facts, %s: looks at each fact of another source a few times', (_, lost, told) => {
    const texts = [listOf(lost), listOf(told), 'Ada has 3 cats since 2 May 2024.'];
    const [source, other, own] = readHardFacts(texts.map((content) => ({ content, day: null })));
    expect(source!.facts.length).toBeGreaterThanOrEqual(COUNT);
    const { reading, looks } = counted(other!);
    for (const fact of source!.facts) isImplied(fact, { ...source!, day: null }, [reading], own!);
    expect(looks()).toBeLessThan(20 * reading.facts.length);
  });
});
