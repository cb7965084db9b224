/** Zeros of the decimal digit blocks that NFKC leaves as they are, and of the full-width block. */
const DIGIT_ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0, 0x1810, 0xff10,
];
/** Stands in place of an address or identifier that was lifted out of the text; a private-use character, taken out of any input. */
export const LIFT_MARK = '\uE000';

/** Compatibility forms, digits of every script, quotes, dashes and invisible characters brought to one spelling. Linear in the length. */
export function normaliseText(text: string): string {
  return (
    text
      .replace(/[^\P{Nd}0-9]/gu, asciiDigit)
      // "2½" is two and a half; NFKC would make it twenty-one halves.
      .replace(/(\d?)([\u00BC-\u00BE\u2150-\u215E])/gu, (_all, digit: string, fraction: string) => {
        const plain = fraction.normalize('NFKC').replace('\u2044', '/');
        return digit === '' ? plain : `${digit} ${plain}`;
      })
      .replace(/(?<!\p{L})([kc]?m|ft)²/gu, ' sq$1')
      // A no-break or thin space between digits groups thousands; NFKC would make it an ordinary space.
      .replace(/(?<=\d)[\u00A0\u2009\u202F](?=\d{3}(?!\d))/gu, '')
      .replace(/[™®©]/gu, ' ')
      .normalize('NFKC')
      .replace(/[\u00AD\u200B\u2060\uFEFF]|\uFE0F/gu, '')
      .replace(/[‘’ʼ´`]/gu, "'")
      .replace(/[“”„«»]/gu, '"')
      .replace(/[−‐‑]/gu, '-')
      .replace(/[—―]/gu, '–')
      .replace(/\u2044/gu, '/')
      .replace(/×(?=\s?\d)|(?<=\d)×/gu, 'x')
      .replace(/٫/gu, '.')
      .replace(/٬/gu, ',')
      .replaceAll(LIFT_MARK, ' ')
      .replace(/(?<=\d ?)([ap])\. ?m\b\.?/giu, '$1m')
      // U.S. and e.g. and J.R.R. lose their dots: none of them ends a sentence.
      .replace(/(?<![\p{L}\p{N}.])(?:\p{L}\.){2,8}/gu, (letters) => letters.replaceAll('.', ''))
      .replace(/(?<=\d)T(?=\d\d:)/gu, ' ')
      .replace(/(?<=:\d\d)Z\b/gu, '')
  );
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  for (const zero of DIGIT_ZEROS) {
    if (code >= zero && code < zero + 10) return String(code - zero);
  }
  return digit;
}
