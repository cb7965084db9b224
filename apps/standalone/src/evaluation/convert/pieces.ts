/** Marks after which a text may be cut, the best first: paragraphs, sentences, words. */
const BORDERS = [/\n\s*\n\s*/gu, /(?<=[.!?。！？])\s+|(?<=[。！？])|\n/gu, /\s+/gu];

/** The last border in the second half of the room, or the last place that is not within a character. */
function cutOf(text: string, room: number): number {
  const head = text.slice(0, room + 1);
  for (const border of BORDERS) {
    const ends = [...head.matchAll(border)].map(({ index }) => index).filter((end) => end <= room);
    const last = ends.at(-1) ?? 0;
    if (last >= room / 2) return last;
  }
  return /[\ud800-\udbff]/.test(text[room - 1]!) && room > 1 ? room - 1 : room;
}

/**
 * A text in pieces of at most `maxChars` (UTF-16 units, which are never fewer than characters), cut where sentences end.
 * @param prefix stands before every piece, as long as it leaves them most of the room
 */
export function piecesOf(text: string, maxChars: number, prefix = ''): string[] {
  const before = prefix.length <= maxChars / 4 ? prefix : '';
  const room = Math.max(2, maxChars - before.length);
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > room) {
    const cut = cutOf(rest, room);
    pieces.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  pieces.push(rest);
  return pieces.filter((piece) => piece !== '').map((piece) => `${before}${piece}`);
}
