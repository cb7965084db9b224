import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate } from './gate.ts';

const passes = (sources: string[], summary: string): boolean => {
  const claimed = sources.map((_, index) => index + 1);
  const verdict = checkGate(clusterOf(...sources), summary, claimed, {
    latestCount: 1_000,
    alreadySuperseded: 0,
  });
  return verdict.ok && verdict.coveredIds.length === sources.length;
};

const DEBT = [
  'I paid back the last instalment of my student loan of 23,400 dollars.',
  'I still owe my aunt Beatriz 1,500 dollars, but without interest.',
];
const REPORTS = [
  'I manage the warehouse in Rotterdam; 14 people work for me in the warehouse.',
  'I report to Saskia Vermeer, and Saskia reports to the chief operating officer.',
];
const RIDE = [
  "User's father had a stent placed in the LAD at the hospital in Cork.",
  'His cardiology check-up at the hospital is on 24 November, User will drive him.',
];
const PUMP = [
  'User drinks no coffee after noon, and likes her coffee black.',
  'She owns a Moccamaster, which is a coffee machine.',
];

describe('who does what', () => {
  it.each([
    [
      DEBT,
      'The user paid back the last instalment of a student loan of $23,400 and still owes aunt Beatriz $1,500 without interest.',
    ],
    [
      REPORTS,
      'The user manages the Rotterdam warehouse, where 14 people work for them, and reports to Saskia Vermeer, who reports to the chief operating officer.',
    ],
    [
      RIDE,
      "User's father had a stent placed in the LAD at the hospital in Cork; user will drive him to his cardiology check-up there on 24 November.",
    ],
    [
      PUMP,
      'User drinks no coffee after noon, likes her coffee black, and owns a Moccamaster coffee machine.',
    ],
  ])('stays: %s', (sources, summary) => {
    expect(passes(sources, summary)).toBe(true);
  });

  it.each([
    [
      'who owes whom',
      DEBT,
      'The user paid back the last instalment of a student loan of $23,400. Aunt Beatriz still owes them $1,500 without interest.',
    ],
    [
      'who reports to whom',
      REPORTS,
      'The user manages the Rotterdam warehouse, where 14 people work for them, and reports to the chief operating officer, who reports to Saskia Vermeer.',
    ],
    [
      'who drives whom',
      RIDE,
      "User's father had a stent placed in the LAD at the hospital in Cork; he will drive user to the cardiology check-up on 24 November.",
    ],
  ])('is not turned: %s', (_what, sources, summary) => {
    expect(passes(sources, summary)).toBe(false);
  });
});
