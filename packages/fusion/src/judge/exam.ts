import type { SaidText } from '../gate/hard-facts.ts';
import { judgeStatements, type StatementJudge } from '../statements/verdicts.ts';
import type { KeyedHash } from './items.ts';

/** A statement over two notes whose verdict is known. */
export interface ExamItem {
  label: 'good' | 'unsafe';
  sources: readonly [first: string, second: string];
  /** On which each source was said, YYYY-MM-DD; absent: unknown. */
  days?: readonly [first: string, second: string];
  statement: string;
}

/** Part of the record of a result: other items are another exam. */
export const EXAM_VERSION = 'exam-3';

/**
 * The exam of a judge. Nothing in it can be told by numbers, names or dates, which code compares before a judge is asked: what is wrong is
 * a lost condition, a turned negation, a plan told as done, an exchanged role, a reason that no source gives, when it was, what a name names,
 * or words with two meanings.
 */
export const EXAM: readonly ExamItem[] = [
  {
    label: 'good',
    sources: ['Selma waters the ferns on Mondays.', 'The ferns that Selma waters stand in the hall.'],
    statement: 'Selma waters the ferns in the hall on Mondays.',
  },
  {
    label: 'unsafe',
    sources: ['Selma waters the ferns on Mondays unless it has rained.', 'The ferns stand in the hall.'],
    statement: 'Selma waters the ferns in the hall on Mondays.',
  },
  {
    label: 'good',
    sources: [
      'Otto does not eat mushrooms.',
      'Otto leaves mushrooms on his plate because he finds them slimy.',
    ],
    statement: 'Otto does not eat mushrooms: he finds them slimy and leaves them on his plate.',
  },
  {
    label: 'unsafe',
    sources: ['Otto does not eat mushrooms.', 'Mushrooms are slimy, says his sister.'],
    statement: 'Otto does not eat mushrooms because they are slimy, as his sister says.',
  },
  {
    label: 'good',
    sources: ['Wanda is thinking of selling the canoe.', 'The canoe that Wanda might sell is green.'],
    statement: 'Wanda is thinking of selling her green canoe.',
  },
  {
    label: 'unsafe',
    sources: ['Wanda is thinking of selling the canoe.', 'The canoe of Wanda is green.'],
    statement: 'Wanda is selling her green canoe.',
  },
  {
    label: 'good',
    sources: ['Idris taught Noemi to weld.', 'Noemi learned welding in the barn.'],
    statement: 'Idris taught Noemi to weld in the barn.',
  },
  {
    label: 'unsafe',
    sources: ['Idris taught Noemi to weld.', 'They met in the barn.'],
    statement: 'Noemi taught Idris to weld in the barn where they met.',
  },
  {
    label: 'good',
    sources: ['Some of the lambs are ill.', 'The vet comes for the lambs that are ill.'],
    statement: 'Some of the lambs are ill, and the vet comes for those.',
  },
  {
    label: 'unsafe',
    sources: ['Some of the lambs are ill.', 'The vet comes for the lambs.'],
    statement: 'The lambs are ill, so the vet comes for them.',
  },
  {
    label: 'good',
    sources: [
      'Ludvig heard that the ferry will stop running.',
      'The ferry to the island may stop, Ludvig was told.',
    ],
    statement: 'Ludvig was told that the ferry to the island will stop running, or may.',
  },
  {
    label: 'unsafe',
    sources: ['Ludvig heard that the ferry will stop running.', 'The ferry goes to the island.'],
    statement: 'The ferry to the island will stop running, and Ludvig knows it.',
  },
  {
    label: 'good',
    sources: ['Greta fährt nie ohne Helm Rad.', 'Der Helm, mit dem Greta Rad fährt, ist rot.'],
    statement: 'Greta fährt nie ohne ihren roten Helm Rad.',
  },
  {
    label: 'unsafe',
    sources: ['Greta fährt selten ohne Helm Rad.', 'Der Helm von Greta ist rot.'],
    statement: 'Greta fährt nie ohne ihren roten Helm Rad.',
  },
  {
    label: 'good',
    sources: [
      'Colette voudrait apprendre le violon.',
      'Colette aimerait prendre des leçons de violon avec sa tante.',
    ],
    statement: 'Colette voudrait apprendre le violon en prenant des leçons avec sa tante.',
  },
  {
    label: 'unsafe',
    sources: ['Colette voudrait apprendre le violon.', 'Sa tante joue du violon.'],
    statement: 'Colette apprend le violon avec sa tante, qui en joue.',
  },
  {
    label: 'good',
    sources: ['Joaquín solo cocina cuando vienen amigos.', 'Cuando vienen amigos, Joaquín cocina paella.'],
    statement: 'Joaquín solo cocina cuando vienen amigos, y entonces hace paella.',
  },
  {
    label: 'unsafe',
    sources: ['Joaquín solo cocina cuando vienen amigos.', 'Joaquín sabe hacer paella.'],
    statement: 'Joaquín cocina paella cuando vienen amigos.',
  },
  {
    label: 'good',
    sources: [
      'Chiara non ha ancora firmato il contratto.',
      'Il contratto che Chiara deve firmare è per la bottega.',
    ],
    statement: 'Chiara non ha ancora firmato il contratto per la bottega, ma deve farlo.',
  },
  {
    label: 'unsafe',
    sources: ['Chiara non ha ancora firmato il contratto.', 'Il contratto è per la bottega.'],
    statement: 'Chiara non ha firmato il contratto per la bottega e non lo firmerà.',
  },
  {
    label: 'good',
    sources: [
      "Runa mixes pumpkin into the dog's dinner.",
      "The dog's dinner gets pumpkin from Runa, mashed.",
    ],
    days: ['2025-06-05', '2025-07-15'],
    statement: "Runa mixes mashed pumpkin into the dog's dinner.",
  },
  {
    label: 'unsafe',
    sources: [
      "Runa mixes pumpkin into the dog's dinner.",
      "The dog's dinner gets pumpkin from Runa, mashed.",
    ],
    days: ['2025-06-05', '2025-07-15'],
    statement: "On 5 June and 15 July 2025 Runa mixed mashed pumpkin into the dog's dinner.",
  },
  {
    label: 'good',
    sources: ['Henrik broke the blue vase.', 'The vase that Henrik broke came from Delft.'],
    days: ['2025-02-03', '2025-02-03'],
    statement: 'Henrik broke the blue vase from Delft, as told on 3 February 2025.',
  },
  {
    label: 'unsafe',
    sources: ['Henrik broke the blue vase.', 'The vase that Henrik broke came from Delft.'],
    days: ['2025-02-03', '2025-02-03'],
    statement: 'Henrik broke the blue vase, which came from Delft.',
  },
  {
    label: 'good',
    sources: ['Samira plans to learn the cello.', 'Samira plans to learn the cello from her aunt.'],
    days: ['2025-01-10', '2025-01-12'],
    statement: 'As of January 2025 Samira plans to learn the cello from her aunt.',
  },
  {
    label: 'unsafe',
    sources: ['Samira plans to learn the cello.', 'Samira plans to learn the cello from her aunt.'],
    days: ['2025-01-10', '2025-01-12'],
    statement: 'Samira plans to learn the cello, from her aunt.',
  },
  {
    label: 'good',
    sources: ['Pavel fell off his bicycle.', 'Pavel fell off his bicycle again, on ice.'],
    days: ['2025-01-12', '2025-02-20'],
    statement:
      'Pavel fell off his bicycle, as told on 12 January 2025, and again, on ice, as told on 20 February 2025.',
  },
  {
    label: 'unsafe',
    sources: ['Pavel fell off his bicycle.', 'Pavel fell off his bicycle again, on ice.'],
    days: ['2025-01-12', '2025-02-20'],
    statement: 'Pavel fell off his bicycle on ice, as told on 20 February 2025.',
  },
  {
    label: 'good',
    sources: [
      'Dagny drives the old van to work, with the dog beside her.',
      'Dagny drives a new van to work now.',
    ],
    days: ['2025-05-01', '2025-09-01'],
    statement:
      'As of September 2025 Dagny drives a new van to work; as of May 2025 it was the old one. The dog sits beside her.',
  },
  {
    label: 'unsafe',
    sources: [
      'Dagny drives the old van to work, with the dog beside her.',
      'Dagny drives a new van to work now.',
    ],
    days: ['2025-05-01', '2025-09-01'],
    statement:
      'As of September 2025 Dagny drives a new van to work, and without the dog beside her as in the old one in May 2025.',
  },
  {
    label: 'good',
    sources: ['Freya will repaint the boat in February.', 'For the boat, Freya will take white paint.'],
    days: ['2024-11-20', '2024-12-02'],
    statement:
      'Freya will repaint the boat white in February 2025, as planned in November and December 2024.',
  },
  {
    label: 'unsafe',
    sources: ['Freya will repaint the boat in February.', 'For the boat, Freya will take white paint.'],
    days: ['2024-11-20', '2024-12-02'],
    statement: 'In February Freya will repaint the boat white.',
  },
  {
    label: 'good',
    sources: [
      'Yusuf helps Greta with the shed on Thursdays.',
      'On Thursdays Yusuf comes over and works on the shed with Greta.',
    ],
    days: ['2025-03-02', '2025-03-21'],
    statement: 'As of 21 March 2025 Yusuf comes over on Thursdays and helps Greta with the shed.',
  },
  {
    label: 'unsafe',
    sources: [
      'Yusuf helps Greta with the shed on Thursdays.',
      'On Thursdays Yusuf comes over and works on the shed with Greta.',
    ],
    days: ['2025-03-02', '2025-03-21'],
    statement: 'On Thursdays Yusuf comes over and helps Greta with the shed.',
  },
  {
    label: 'good',
    sources: ['Noor takes the mule Bertil to the fair.', 'At the fair Bertil wears bells.'],
    statement: 'Noor takes the mule Bertil to the fair, where he wears bells.',
  },
  {
    label: 'unsafe',
    sources: ['Noor takes the mule Bertil to the fair.', 'At the fair Bertil wears bells.'],
    statement: 'Noor takes Bertil to the fair, where he wears bells.',
  },
  {
    label: 'good',
    sources: [
      'Ottilie told Vera that Vera had left the gate open.',
      'In the kitchen Ottilie told Vera about the gate that Vera had left open.',
    ],
    statement: 'In the kitchen Ottilie told Vera that Vera had left the gate open.',
  },
  {
    label: 'unsafe',
    sources: [
      'Ottilie told Vera that Vera had left the gate open.',
      'In the kitchen Ottilie told Vera about the gate that Vera had left open.',
    ],
    statement: 'In the kitchen Ottilie told Vera that she had left the gate open.',
  },
  {
    label: 'good',
    sources: [
      'Linnea has moved the bees to the orchard.',
      'The bees that Linnea moved stand in the orchard now.',
    ],
    days: ['2025-04-02', '2025-06-20'],
    statement:
      'Linnea has moved the bees to the orchard, as told on 2 April 2025; they stand there as of 20 June 2025.',
  },
  {
    label: 'unsafe',
    sources: [
      'Linnea has moved the bees to the orchard.',
      'The bees that Linnea moved stand in the orchard now.',
    ],
    days: ['2025-04-02', '2025-06-20'],
    statement: 'As of 20 June 2025 Linnea has moved the bees, which stand in the orchard.',
  },
];

/** At least this share of the good ones has to be accepted, and none of the unsafe ones. */
export const EXAM_SHARE = 0.75;
const ITEMS_PER_REQUEST = 5;
/** How many requests an exam is: each statement is judged twice. */
export const EXAM_REQUESTS = 2 * Math.ceil(EXAM.length / ITEMS_PER_REQUEST);

export interface ExamResult {
  version: string;
  passed: boolean;
  good: number;
  goodAccepted: number;
  unsafe: number;
  unsafeAccepted: number;
  /** Places in EXAM that came out otherwise than they should. */
  wrong: number[];
}

/**
 * Puts a judge through the exam: every statement is judged twice, as in service; canaries count.
 * @param onAsked told after each group of items, with how many are done
 * @throws what `ask` throws
 */
export async function takeExam(
  ask: StatementJudge['ask'],
  hash: KeyedHash,
  onAsked: (done: number) => void = () => {},
): Promise<ExamResult> {
  const result: ExamResult = {
    version: EXAM_VERSION,
    passed: false,
    good: 0,
    goodAccepted: 0,
    unsafe: 0,
    unsafeAccepted: 0,
    wrong: [],
  };
  for (let from = 0; from < EXAM.length; from += ITEMS_PER_REQUEST) {
    const items = EXAM.slice(from, from + ITEMS_PER_REQUEST);
    const cluster: SaidText[] = items.flatMap(({ sources, days }) =>
      sources.map((content, at) => ({ content, day: days?.[at] ?? null })),
    );
    const statements = items.map(({ statement: text }, at) => ({ text, sources: [2 * at + 1, 2 * at + 2] }));
    const judged = await judgeStatements(cluster, statements, { isExamined: false, hash, ask });
    for (const [at, { verdict }] of judged.entries()) {
      const { label } = items[at]!;
      result[label] += 1;
      if (verdict.accepted) result[`${label}Accepted`] += 1;
      if (verdict.accepted !== (label === 'good')) result.wrong.push(from + at);
    }
    onAsked(from + items.length);
  }
  result.passed = result.unsafeAccepted === 0 && result.goodAccepted >= EXAM_SHARE * result.good; // guard: exam-strict
  return result;
}
