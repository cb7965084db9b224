import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate } from './gate.ts';

function coveredBy(sources: readonly string[], summary: string): number | string {
  const all = sources.map((_, index) => index + 1);
  const verdict = checkGate(clusterOf(...sources), summary, all, {
    latestCount: 1_000,
    alreadySuperseded: 0,
  });
  return verdict.ok ? verdict.coveredIds.length : verdict.reason;
}

const CARPENTER = [
  "User's brother Tomas is a carpenter.",
  'Tomas lives in Porto with his girlfriend Ines.',
  "Ines, Tomas's girlfriend, works as a nurse at Hospital Santa Clara.",
];
const LABELS = [
  'There is a jar labelled K101, and it stands in the cellar.',
  'There is a bicycle marked K103, and it stands in the shed.',
];
const CATS = [
  'The cat Miso is on a diet because Miso is overweight.',
  'Miso gets 60 g of dry food in the morning.',
];
const PARENTS = [
  "User's mother turned 70 in May.",
  "User's father is two years older than her mother.",
  "User's mother has had diabetes since 2010.",
];
const OFFICE = [
  'The office is closed on Saturdays.',
  'In the office the wifi only works on the second floor, I heard.',
];
const GRANDPARENTS = [
  'Leopold was born in Lviv in 1921 and emigrated to Winnipeg in 1948.',
  'Leopold married Hanna Kovalenko in Winnipeg in 1950.',
  'Leopold and Hanna had three children.',
];

describe('an honest merge', () => {
  it.each([
    [
      CARPENTER,
      "User's brother Tomas, a carpenter, lives in Porto with his girlfriend Ines, a nurse at Hospital Santa Clara.",
    ],
    [
      CARPENTER,
      "User's brother Tomas is a carpenter and lives in Porto with his girlfriend Ines, who works as a nurse at Hospital Santa Clara.",
    ],
    [LABELS, 'A jar labelled K101 stands in the cellar; a bicycle marked K103 stands in the shed.'],
    [CATS, 'The cat Miso, who is overweight, is on a diet and gets 60 g of dry food in the morning.'],
    [
      PARENTS,
      "User's mother, who turned 70 in May, has had diabetes since 2010; user's father is two years older than her.",
    ],
    [
      [
        'Swimming course: every Tuesday at 16:15, from 14 January.',
        "The kids' swimming course costs 85 euros.",
      ],
      "The kids' swimming course costs 85 euros, every Tuesday at 16:15 from 14 January.",
    ],
    [
      [
        'Please no race spoilers before noon, because I watch the replays.',
        'I watch the races together with my friend Piet at the weekend.',
      ],
      'No race spoilers before noon, please, as the user watches the replays; watches the races with friend Piet at the weekend.',
    ],
    [
      ['My goal: I want to lose 8 kg by August.', 'I have already lost 2 kg, that was in May.'],
      "User's goal is to lose 8 kg by August; user already lost 2 kg in May.",
    ],
    [
      [
        'Compared with the old laptop, the new Lumo is 400 g lighter.',
        'The new Lumo cost the user 1,380 euros.',
      ],
      'The new Lumo is 400 g lighter than the old laptop and cost 1,380 euros.',
    ],
  ])('passes whole: %j as %j', (sources, summary) => {
    expect(coveredBy(sources, summary)).toBe(sources.length);
  });
});

describe('a merge that exchanges', () => {
  it.each([
    [
      'appositions',
      CARPENTER,
      "User's brother Tomas, a nurse, lives in Porto with his girlfriend Ines, who works as a carpenter at Hospital Santa Clara.",
    ],
    [
      'a relative clause',
      CARPENTER,
      "User's brother Tomas, who works as a nurse at Hospital Santa Clara, lives in Porto with his girlfriend Ines, a carpenter.",
    ],
    [
      'places told by a pronoun',
      LABELS,
      'A jar labelled K101 stands in the shed; a bicycle marked K103 stands in the cellar.',
    ],
    [
      'places told by a pronoun in the summary too',
      LABELS,
      'A jar labelled K101, and it stands in the shed; a bicycle marked K103, and it stands in the cellar.',
    ],
    [
      'what comes after an aside',
      PARENTS,
      "User's mother turned 70 in May; her father, two years older than her mother, has had diabetes since 2010.",
    ],
    [
      'what "only" stands on',
      OFFICE,
      'The office is only closed on Saturdays; the wifi works on the second floor.',
    ],
    [
      'a place that belongs to another fact',
      GRANDPARENTS,
      'Leopold was born in Lviv in 1921, emigrated to Winnipeg in 1948 and married Hanna Kovalenko there in 1950; three children in Winnipeg.',
    ],
  ])('is refused: %s', (_, sources, summary) => {
    expect(['fact_loss', 'invented']).toContain(coveredBy(sources, summary));
  });
});

it('keeps a reason that stands with somebody else out', () => {
  const sources = [
    'Kai replaces Lotte on drums because Lotte has a bad cold.',
    'The next gig of the band is on 17 January.',
  ];
  expect(
    coveredBy(
      sources,
      'Kai replaces Lotte, who has a bad cold, on drums; the next gig of the band is on 17 January.',
    ),
  ).toBe(2);
  expect(
    coveredBy(
      sources,
      'Kai, who has a bad cold, replaces Lotte on drums; the next gig of the band is on 17 January.',
    ),
  ).not.toBe(2);
});
