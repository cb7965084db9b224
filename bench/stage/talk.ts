/** Seeded notes about one person, with words as frequent as in real talk (Zipf), for measuring a search by words. */

const WORDS = 20_000;
const NOTE_WORDS = { least: 8, most: 24 };
const SYLLABLES = [
  'ka',
  'lo',
  'mi',
  'ser',
  'ten',
  'bra',
  'du',
  'fin',
  'gol',
  'hes',
  'ju',
  'nor',
  'pel',
  'qua',
  'rit',
  'sho',
  'tam',
  'ul',
  'vex',
  'wan',
];

/** A word that no other place has; the first places are the commonest. */
export function wordAt(place: number): string {
  let [word, rest] = ['', place + 1];
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length]!;
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}

/** A place whose chance falls with its number, as words do. */
const zipf = (random: () => number): number => Math.floor(Math.exp(random() * Math.log(WORDS))) - 1;

/** Notes that all begin with the person's name, as an assistant writes them. */
export function talkNotes(random: () => number, count: number): string[] {
  return Array.from({ length: count }, () => {
    const words = NOTE_WORDS.least + Math.floor(random() * (NOTE_WORDS.most - NOTE_WORDS.least));
    return `Marta ${Array.from({ length: words }, () => wordAt(zipf(random))).join(' ')}.`;
  });
}

/** Questions with the person's name and words of all frequencies, of which most stand in one of the notes. */
export function talkQuestions(random: () => number, notes: readonly string[], count: number): string[] {
  return Array.from({ length: count }, () => {
    const note = notes[Math.floor(random() * notes.length)]!.split(/[ .]/).filter((word) => word !== '');
    const some = Array.from({ length: 5 }, () => note[Math.floor(random() * note.length)]!);
    return `What did Marta say about ${some.join(' ')} and ${wordAt(zipf(random))}?`;
  });
}
