const repeated =
  (piece: string) =>
  (length: number): string =>
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Pieces that are numbered from 0, as many as fit. */
const numbered =
  (piece: (n: number) => string) =>
  (length: number): string => {
    let text = '';
    for (let n = 0; ; n += 1) {
      const next = piece(n);
      if (text.length + next.length > length) return text;
      text += next;
    }
  };

/** Texts that anybody may say to an agent and that are costly to read: their name, and a text of at most so many characters. */
export const HOSTILE: readonly [name: string, textOf: (length: number) => string][] = [
  [
    'logs of events',
    numbered(
      (n) => `On 3 May 2024 at 9:${10 + (n % 50)} Anna told Meyer that order ${1_000 + n} is not ready. `,
    ),
  ],
  ['equal numbers', repeated('1,000 ')],
  ['numbers', numbered((n) => `${1_000 + n} `)],
  ['lists of numbers', numbered((n) => `${1_000 + n},`)],
  ['amounts', numbered((n) => `${1_000 + n} kg `)],
  ['dates', numbered((n) => `${1_900 + (n % 300)}-0${1 + (n % 9)}-1${n % 9} `)],
  ['names', numbered((n) => `Mr X${n.toString(26).replace(/\d/g, 'q')}, `)],
  ['fractions', repeated('½')],
  ['fractions with spaces', repeated('½ ')],
  ['full-width digits', repeated('１')],
  ['accents', repeated('e\u0301\u0302')],
  ['brackets', repeated('[')],
  ['parentheses', repeated('()')],
  ['weekdays with dashes', repeated('Mon-')],
  ['relative words', repeated('last ')],
  ['open weekdays', repeated('on Friday. ')],
  ['amounts of weeks', numbered((n) => `${1_000 + n} weeks ago `)],
  ['joined letters', repeated('a_b_')],
  ['ligatures', repeated('ﷺ')],
  ['quotations', numbered((n) => `"x${1_000 + n}" `)],
  ['addresses', numbered((n) => `a${1_000 + n}@b.com `)],
];
