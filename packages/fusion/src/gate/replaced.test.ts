import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { isDerived } from './derived.ts';
import { checkGate } from './gate.ts';

function coveredBy(sources: readonly string[], summary: string): number | string {
  const all = sources.map((_, index) => index + 1);
  const verdict = checkGate(clusterOf(...sources), summary, all, {
    latestCount: 1_000,
    alreadySuperseded: 0,
  });
  return verdict.ok ? verdict.coveredIds.length : verdict.reason;
}

const KIDS = [
  'Grandpa Emil picks the children up from the kindergarten at 16:00, I have been told.',
  'The kindergarten closes at 16:30 on weekdays.',
];
const CRATE = [
  'I promised my sister Nora that I would lend her our dog crate until June.',
  'The dog crate is in the attic at the moment.',
];
const LOAN = ['My brother Tom lent Ruth 600 dollars in March.', 'Ruth wants a new laptop by the summer.'];
const COFFEE = ['My favourite coffee beans are from Ethiopia.', 'I buy the coffee beans at Kaffa Corner.'];
const FLIGHT = ['Paulo flew in from Italy on 3 May 2025.', 'Paulo stays with me for two weeks, I think.'];
const LENSES = [
  'User wears contact lenses: the value is -3.25 for the left eye.',
  'The contact lenses of the user are from the optician Brandt.',
];
const BISCUIT = [
  'User has a rescue greyhound called Biscuit.',
  "User's dog Biscuit is allergic to chicken and sleeps a lot.",
];
const REX = [...BISCUIT, 'User also has a dog called Rex.'];
const BIKE = ['User bought a green bicycle for 900 euros in May.', 'The bicycle is a Gazelle.'];
const PRESENT = [
  "User's gift to Ann in May was a book about whales.",
  'Ann likes books about the sea a lot.',
];
const SWITCH = ['User switched from cow milk to oat milk in January.', 'The oat milk is from the market.'];
const NOVEL = [
  'The detective in the novel is called Livia Marin.',
  "The detective's rival is called Bruno Sever, I believe.",
];

describe('a word in another form', () => {
  it.each([
    ['accept', 'acceptance'],
    ['translated', 'translations'],
    ['extend', 'extendable'],
    ['included', 'inclusion'],
    ['lend', 'loan'],
    ['frequent', 'frequency'],
    ['bad', 'badly'],
  ])('%s, %s are of one stem', (one, other) => {
    expect(isDerived(one, other)).toBe(true);
  });

  it.each([
    ['employer', 'employee'],
    ['hard', 'hardly'],
    ['late', 'lately'],
    ['sugar', 'sugarless'],
    ['formal', 'informal'],
    ['pass', 'passion'],
    ['author', 'authority'],
  ])('%s, %s are not', (one, other) => {
    expect(isDerived(one, other)).toBe(false);
  });
});

describe('a word that a summary replaces, leaves out or adds', () => {
  it.each([
    [
      KIDS,
      'Grandpa Emil collects the children from the kindergarten at 16:00; it closes at 16:30 on weekdays.',
    ],
    [CRATE, 'I promised my sister Nora the loan of our dog crate, now in the attic, until June.'],
    [COFFEE, 'My favourite coffee beans are Ethiopian, bought at Kaffa Corner.'],
    [LENSES, 'User wears contact lenses, -3.25 for the left eye, from the optician Brandt.'],
    [BISCUIT, 'User has a rescue greyhound, Biscuit, who is allergic to chicken and sleeps a lot.'],
    [BIKE, 'User got a green bicycle, a Gazelle, for 900 euros in May.'],
    [NOVEL, 'The detective in the novel is called Livia Marin, the rival Bruno Sever.'],
  ])('passes whole: %j as %j', (sources, summary) => {
    expect(coveredBy(sources, summary)).toBe(sources.length);
  });

  it.each([
    // Another verb, or the same one of another doer.
    [
      KIDS,
      'Grandpa Emil drives the children from the kindergarten at 16:00; it closes at 16:30 on weekdays.',
    ],
    [
      KIDS,
      'The children collect grandpa Emil from the kindergarten at 16:00; it closes at 16:30 on weekdays.',
    ],
    [CRATE, 'I promised my sister Nora our dog crate, now in the attic, until June.'],
    [
      LOAN,
      "Ruth's loan of 600 dollars to user's brother Tom was in March; Ruth wants a new laptop by the summer.",
    ],
    [PRESENT, 'In May Ann gave the user a book about whales; she likes books about the sea a lot.'],
    [SWITCH, 'User replaced oat milk with cow milk in January; the oat milk is from the market.'],
    // Who comes from a country is not of it.
    [FLIGHT, 'The Italian Paulo flew in on 3 May 2025 and stays with me for two weeks.'],
    // What is said of the thing has to stay with it.
    [LENSES, 'User wears contact lenses from the optician Brandt; the left eye.'],
    [REX, 'User has a rescue greyhound, Rex, who is allergic to chicken and sleeps a lot, and Biscuit.'],
    [BIKE, 'User sold a green bicycle, a Gazelle, for 900 euros in May.'],
    [BIKE, 'User rents a green bicycle, a Gazelle, for 900 euros in May.'],
    [NOVEL, 'The detective in the novel is called Bruno Sever, the rival Livia Marin.'],
  ])('refuses: %j as %j', (sources, summary) => {
    expect(coveredBy(sources, summary)).not.toBe(sources.length);
  });
});
