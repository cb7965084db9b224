import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate } from './gate.ts';
import { isListOfNotes } from './verbatim.ts';

const NOTES = [
  'Pixel, the cat, weighs 4.8 kg',
  'Mara feeds Pixel.',
  'Renate sees Dr. Yildiz in Lübeck.',
  "Mara's mother is Renate.",
  'Dr. Yildiz saw Renate.',
];

describe('a list of whole notes', () => {
  it.each([
    'Pixel, the cat, weighs 4.8 kg\nMara feeds Pixel',
    'Mara feeds Pixel. Pixel, the cat, weighs 4.8 kg.',
    'Renate sees Dr. Yildiz in Lübeck.\n\nMara feeds  Pixel.',
    'Dr. Yildiz saw Renate.\nMara feeds Pixel',
  ])('is %j', (summary) => {
    expect(isListOfNotes(summary, NOTES)).toBe(true);
  });

  it.each([
    'Mara feeds Pixel',
    'Pixel, the cat, weighs 4.8 kg Mara feeds Pixel',
    'Pixel, the cat, weighs 4.8 kg; Mara feeds Pixel',
    'Pixel, the cat, weighs 4.8 kg\nMara never feeds Pixel',
    'Mara feeds Pixel. weighs 4.8 kg',
    'Mara feeds Pixel? Pixel, the cat, weighs 4.8 kg',
    'Renate sees Dr.\nMara feeds Pixel',
    '',
  ])('is not %j', (summary) => {
    expect(isListOfNotes(summary, NOTES)).toBe(false);
  });

  it.each([
    'He feeds Pixel.',
    'Feeds Pixel.',
    'That was in May.',
    'Sie füttert Pixel.',
    'Vive en Madrid.',
    'There was a cat.',
  ])('is none where a note borrows its subject: %s', (borrowing) => {
    const notes = ["Mara's flat is in Kiel.", borrowing];
    expect(isListOfNotes(notes.join('\n'), notes)).toBe(false);
    expect(isListOfNotes(`${notes[0]} ${notes[0]}`, notes)).toBe(true);
  });

  it.each([
    [["It's Mara's flat.", 'It costs 900 euros.']],
    [["Mara's Cat Likes Tuna.", 'Likes Salmon.']],
    [["Mara's Mutter grüßt Sie.", 'Sie wohnt in Kiel.']],
  ])('is none where a capital or an apostrophe makes no name: %j', (notes) => {
    expect(isListOfNotes([...notes].reverse().join('\n'), notes)).toBe(false);
  });

  it('is none where a note reaches into the one behind it', () => {
    const notes = ["Mara's doctor forbids what follows:", "Mara's lunch is bread."];
    expect(isListOfNotes(notes.join('\n'), notes)).toBe(false);
  });

  it('is never one with a word more', () => {
    const name = fc.constantFrom('Mara', 'Jonas', 'Renate', 'Svenja', 'Ole');
    const note = fc
      .tuple(name, fc.stringMatching(/^[a-z]{3,8}( [a-z]{3,8}){0,3}$/))
      .map(([who, rest]) => `${who}'s friend likes ${rest}`);
    fc.assert(
      fc.property(fc.uniqueArray(note, { minLength: 2, maxLength: 5 }), note, (notes, other) => {
        fc.pre(!notes.includes(other));
        expect(isListOfNotes([...notes].reverse().join('\n'), notes)).toBe(true);
        expect(isListOfNotes(`${notes.join('\n')}\n${other}`, notes)).toBe(false);
        expect(isListOfNotes(`${notes.join('\n')} too`, notes)).toBe(false);
      }),
    );
  });

  it('passes whole, although its notes have much in common', () => {
    const notes = [
      'Pixel the cat weighs 5.2 kg, and the vet told Mara that the cat should lose half a kilo.',
      "Pixel, Mara's cat, weighs 5.2 kg, and the vet says that half a kilo has to go.",
      'Pixel the cat gets diet food now, 25 grams in the morning and 25 grams in the evening.',
      "Mara's cat Pixel is afraid of the vacuum cleaner and hides behind the washing machine.",
    ];
    const summary = notes.map((note) => note.slice(0, -1)).join('\n');
    const context = { latestCount: 1_000, alreadySuperseded: 0 };
    const all = [1, 2, 3, 4];
    expect(checkGate(clusterOf(...notes), summary, all, context)).toMatchObject({ ok: true });
    for (const [from, to] of [
      ['5.2 kg', '5.3 kg'],
      ['is afraid', 'is not afraid'],
      ['Mara that', 'Ann that'],
    ] as const) {
      const turned = checkGate(clusterOf(...notes), summary.replace(from, to), all, context);
      expect(turned).toMatchObject({ ok: false });
    }
  });
});
