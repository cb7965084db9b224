import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate } from './gate.ts';

const SHELF = 'The box of apples stands in the cellar behind the old shelf.';

/** Whether a summary holds the notes and two more about something else, which leave it room. */
function passes(notes: readonly string[], summary: string): boolean {
  const sources = [...notes, SHELF, `${SHELF} It is green.`];
  const all = sources.map((_, index) => index + 1);
  const told = `${summary} ${SHELF} It is green.`;
  const verdict = checkGate(clusterOf(...sources), told, all, { latestCount: 1_000, alreadySuperseded: 0 });
  return verdict.ok && verdict.coveredIds.length === sources.length;
}

/** What is kept, the notes, summaries that keep it, and their nearest neighbours that do not. */
const CASES: readonly [string, string[], string[], string[]][] = [
  [
    'which place a thing has',
    ["User's grandpa Otto lives in the Sonnenhof care home.", 'Grandpa Otto turned 91.'],
    ["User's grandpa Otto, who turned 91, lives in the Sonnenhof care home."],
    ["User's grandpa Sonnenhof turned 91 and lives in the Otto care home."],
  ],
  [
    'which figure is the latest',
    ["Nadia's last value was 3.1; the value before that was 5.8."],
    ["Nadia's last value was 3.1, the one before it 5.8."],
    ["Nadia's last value was 5.8, the one before it 3.1."],
  ],
  [
    'what was won and what lost',
    ["User's team lost on 3 May 2025 after winning the first two games."],
    ["After winning the first two games user's team lost on 3 May 2025."],
    ["After losing the first two games user's team won on 3 May 2025."],
  ],
  [
    'what is wanted and what is done',
    ['User wants to learn Danish and is learning Dutch.', 'User has a Danish neighbour.'],
    ['User wants to learn Danish, is learning Dutch and has a Danish neighbour.'],
    ['User wants to learn Dutch, is learning Danish and has a Danish neighbour.'],
  ],
  [
    'what never is so',
    ['User wants an aisle seat on planes, never a window seat.', 'On trains user wants a window seat.'],
    ['User wants an aisle seat on planes, never a window seat. On trains user wants a window seat.'],
    ['User wants an aisle seat on planes, a window seat. On trains never user wants a window seat.'],
  ],
  [
    'which of two neighbours it is',
    [
      "User's neighbour Mrs. Thorne waters User's plants and has a spare key.",
      "User's neighbour Mr. Bakshi complained about the piano.",
    ],
    [
      "User's neighbour Mrs. Thorne waters User's plants and has a spare key; neighbour Mr. Bakshi complained about the piano.",
    ],
    [
      "User's neighbour Mr. Bakshi waters User's plants and has a spare key. He complained about the piano. Mrs. Thorne is a neighbour too.",
    ],
  ],
  [
    'whom a bracket tells of',
    ["User's bakery has two employees, Yusuf and Margit; Margit works only mornings."],
    ["User's bakery has two employees, Yusuf and Margit (who works only mornings)."],
    ["User's bakery has two employees, Margit and Yusuf (who works only mornings)."],
  ],
  [
    'what the assistant must not do',
    ["User's rule for the assistant: never restart the server without asking User first."],
    ["User's rule for the assistant: never restart the server without first asking User."],
    ["User's rule for the assistant: the user never restarts the server without first asking the assistant."],
  ],
  [
    'what has not been paid',
    ["Repairing the screen would cost 199 euros; User's insurance covers 120 euros of it."],
    ["Repairing the screen would cost €199, of which User's insurance covers €120."],
    ["The screen repair cost €199, of which User's insurance covers €120."],
  ],
  [
    'who is compared with whom',
    ['Priya is taller than Marek, and Marek is older than Priya.', 'Priya earns more than User.'],
    ['Priya is taller than Marek, who is older than Priya; Priya earns more than User.'],
    [
      'Priya is older than Marek, who is taller than Priya; Priya earns more than User.',
      'Priya is taller than Marek, who is older than Priya; User earns more than Priya.',
    ],
  ],
  [
    'who hopes',
    ["User's teacher Mr. Farrow plays the oboe.", 'I hope that Nadia goes on with the oboe.'],
    ["User's teacher Mr. Farrow plays the oboe. I hope that Nadia goes on with the oboe."],
    ["User's teacher Mr. Farrow plays the oboe. He hopes that Nadia goes on with the oboe."],
  ],
  [
    'who does not want it',
    ["Nadia's teacher Oskar wants her to audition, but Nadia doesn't want to."],
    ["Her teacher Oskar wants Nadia to audition, but Nadia doesn't want to."],
    ["Nadia wants to audition, but her teacher Oskar doesn't want her to."],
  ],
  [
    'who slept where',
    ["User slept at a friend's flat on 3 May 2025."],
    ["On 3 May 2025 User slept at a friend's flat."],
    ["A friend slept at User's flat on 3 May 2025."],
  ],
  [
    'whose pills they are',
    ["User's aunt Petra sorts the grandmother's pills.", "User's grandmother takes warfarin."],
    ["User's aunt Petra sorts the grandmother's pills; the grandmother takes warfarin."],
    ["User's grandmother sorts aunt Petra's pills and takes warfarin."],
  ],
  [
    'what came first',
    ['The plumber replaced the valve first and then the pump.', 'The pump was old, the valve new.'],
    ['The plumber replaced the valve first and then the pump. The pump was old, the valve new.'],
    ['The plumber replaced the pump first and then the valve. The pump was old, the valve new.'],
  ],
  [
    'what was given for what',
    ['Olive gave User 20 seedlings in exchange for a rose.'],
    [
      'Olive gave User 20 seedlings in exchange for a rose.',
      'In exchange for a rose Olive gave User 20 seedlings.',
    ],
    ['Olive gave User a rose in exchange for 20 seedlings.'],
  ],
  [
    'which of two things it is said of',
    ['User bought a van and sold the motorbike.', 'The van has a dent on the door.'],
    ['User bought a van, which has a dent on the door, and sold the motorbike.'],
    ['User bought a van and sold the motorbike, which has a dent on the door.'],
  ],
  [
    'that it is some of them',
    ["Some of User's cousins plan to move to Leeds.", "User's sisters live in Leeds."],
    ["User's sisters live in Leeds; some of User's cousins plan to move to Leeds."],
    ["User's sisters live in Leeds; User's cousins plan to move to Leeds."],
  ],
  [
    'when it was',
    ['Nadia emigrated to Chicago in 1952 and worked in a bakery.'],
    ['In 1952 Nadia emigrated to Chicago and worked in a bakery.'],
    ['Nadia emigrated to Chicago and worked in a bakery in 1952.'],
  ],
  [
    'a duty as a duty',
    ['The tax return must be filed by 31 July.', 'User needs the donation receipts.'],
    ['The tax return must be filed by 31 July; User needs the donation receipts.'],
    ['The tax return can be filed by 31 July; User needs the donation receipts.'],
  ],
  [
    'who is it now',
    ["User's manager at Northwind is Gabriela.", 'User started at Northwind in 2021.'],
    ["User started at Northwind in 2021; User's manager there is Gabriela."],
    ["User started at Northwind in 2021; User's manager there was Gabriela."],
  ],
  [
    'of whom of two it is said',
    ["User's son Ben is lactose intolerant, and User's son Max can't stand mushrooms.", 'Max plays chess.'],
    ["User's son Ben is lactose intolerant; User's son Max can't stand mushrooms and plays chess."],
    ["User's sons Ben and Max are lactose intolerant and can't stand mushrooms; Max plays chess."],
  ],
  [
    'what each of two lent',
    ['My sister Britta lent my cousin Jonas 400 euros, and he lent her the tent.'],
    ['My sister Britta lent my cousin Jonas €400, and he lent her the tent.'],
    ['My sister Britta lent my cousin Jonas the tent, and he lent her €400.'],
  ],
  [
    'who owns it',
    ["User's wife Elin earns 3,200 euros.", "User's friend Noor is a pilot and owns a boat called Petrel."],
    ["User's wife Elin earns €3,200; User's friend Noor is a pilot and owns a boat called Petrel."],
    ["User's wife Elin earns €3,200 and owns a boat called Petrel; User's friend Noor is a pilot."],
  ],
  [
    'one of two verbs that were alike',
    ['The manager works remotely from Cardiff; the trainer works on site.', 'The pool was renovated.'],
    ['The manager works remotely from Cardiff; the trainer works on site. The pool was renovated.'],
    ['The manager worked remotely from Cardiff; the trainer works on site. The pool was renovated.'],
  ],
  [
    'what is done when',
    ['I take the train to work when it rains, otherwise I cycle.', 'I live in Cork.'],
    ['I live in Cork. When it rains, I take the train to work, otherwise I cycle.'],
    ['I live in Cork. I cycle to work when it rains, otherwise I take the train.'],
  ],
];

describe('a summary', () => {
  it.each(CASES.flatMap(([what, notes, honest]) => honest.map((one) => [what, notes, one] as const)))(
    'keeps %s',
    (_what, notes, summary) => {
      expect(passes(notes, summary)).toBe(true);
    },
  );

  it.each(CASES.flatMap(([what, notes, , unsafe]) => unsafe.map((one) => [what, notes, one] as const)))(
    'may not turn %s',
    (_what, notes, summary) => {
      expect(passes(notes, summary)).toBe(false);
    },
  );
});

const ELSEWHERE: readonly [string, string[], string, string][] = [
  [
    'who does it rarely (de)',
    ['Alle Kollegen essen in der Kantine, Jonas isst nur selten dort.', 'Jonas spielt Schach.'],
    'Alle Kollegen essen in der Kantine, Jonas isst nur selten dort. Er spielt Schach.',
    'Alle Kollegen essen nur selten in der Kantine, Jonas isst dort. Er spielt Schach.',
  ],
  [
    'what comes before and what after (de)',
    [
      'Vor der Operation muss Gerda nüchtern sein, nach der Operation darf sie nur Brühe essen.',
      'Gerda hat Angst.',
    ],
    'Vor der Operation muss Gerda nüchtern sein, nach der Operation darf sie nur Brühe essen; sie hat Angst.',
    'Nach der Operation muss Gerda nüchtern sein, vor der Operation darf sie nur Brühe essen; sie hat Angst.',
  ],
  [
    'whose flowers they are (de)',
    ['Meine Nachbarin Gerda verreist oft.', 'Ich gieße ihre Blumen, wenn sie verreist ist.'],
    'Meine Nachbarin Gerda verreist oft; ich gieße ihre Blumen, wenn sie verreist ist.',
    'Meine Nachbarin Gerda verreist oft; sie gießt meine Blumen, wenn ich verreist bin.',
  ],
  [
    'who is younger and who earns less (es)',
    ['Mi jefa Carmen es más joven que Pablo, pero Pablo gana menos que Carmen.', 'Carmen vive en Vigo.'],
    'Mi jefa Carmen es más joven que Pablo y vive en Vigo, pero Pablo gana menos que Carmen.',
    'Mi jefa Carmen es menos joven que Pablo y vive en Vigo, pero Pablo gana más que Carmen.',
  ],
  [
    'until when and from when (ja)',
    ['由美の父は6月まで工場で働き、7月から図書館で働いている。', '由美は京都に住んでいる。'],
    '由美の父は6月まで工場で働き、7月から図書館で働く。由美は京都に住む。',
    '由美の父は6月から工場で働き、7月まで図書館で働く。由美は京都に住む。',
  ],
  [
    'who lent it to whom (ru)',
    ['Максим одолжил Ольге 30 тысяч рублей.', 'Ольга живёт в Казани, а Максим живёт в Самаре.'],
    'Максим одолжил Ольге 30 тысяч рублей. Ольга живёт в Казани, Максим в Самаре.',
    'Ольга одолжила Максиму 30 тысяч рублей. Ольга живёт в Казани, Максим в Самаре.',
  ],
];

describe('a summary in another language', () => {
  const verdictOf = (sources: readonly string[], summary: string): boolean => {
    const numbers = sources.map((_, index) => index + 1);
    const long = [...sources, '—'.repeat(80)];
    const verdict = checkGate(clusterOf(...long), summary, numbers, {
      latestCount: 1_000,
      alreadySuperseded: 0,
    });
    return verdict.ok && verdict.coveredIds.length === sources.length;
  };
  it.each(ELSEWHERE)('keeps %s and may not turn it', (_what, sources, honest, turned) => {
    expect(verdictOf(sources, honest)).toBe(true);
    expect(verdictOf(sources, turned)).toBe(false);
  });
});
