import { describe, expect, it } from 'vitest';
import { contentWords, isPlain, listed } from './content-words.ts';

const texts = (text: string, common = false) => contentWords(text, { common }).map((word) => word.text);

describe('contentWords', () => {
  it('keeps what a text is about, with the capitals of names', () => {
    expect(texts("Tomatoes from Mara's garden need water, and the oven is at NASA.")).toEqual([
      'tomatoes',
      'Mara',
      'garden',
      'water',
      'oven',
      'NASA',
    ]);
    expect(texts('Thanks, that helps a lot!')).toEqual([]);
  });

  it('passes over links and addresses, of which a part means nothing', () => {
    expect(texts('Write to Mara.Lind@example.org or see https://example.org/Boats now')).toEqual([
      'write',
      'see',
    ]);
  });

  it('knows the forms of one word', () => {
    const [one, other] = [contentWords('She bakes'), contentWords('They baked')];
    expect(one[0]?.key).toBe(other[0]?.key);
  });

  it('gives words that many subjects share when asked', () => {
    expect(texts('We plan a week in Lisbon')).toEqual(['Lisbon']);
    expect(texts('We plan a week in Lisbon', true)).toEqual(['plan', 'week', 'Lisbon']);
  });

  it('reads scripts without spaces', () => {
    expect(texts('東京のホテルを予約してください')).toEqual(['東京', 'ホテル', '予約']);
  });
});

describe('isPlain', () => {
  it.each(['bread', 'Lisbon', '東京'])('holds for "%s"', (text) =>
    expect(isPlain({ key: '', text })).toBe(true),
  );
  it.each(['twenty', 'noon', 'Januar', 'never', 'nicht', '5 km'])('does not hold for "%s"', (text) =>
    expect(isPlain({ key: '', text })).toBe(false),
  );
});

it('lists words as a sentence does', () => {
  expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
});
