/** Characters that take two columns on a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** What stands on the character before it, or takes no room at all. */
const WITHOUT_ROOM = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const MORE = '…';

const widthOfOne = (grapheme: string): number =>
  WITHOUT_ROOM.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1;

/** How many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOfOne(segment);
  return width;
}

/** At most so many columns of a text, with a mark where something is left out. Characters are never cut in two. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    const next = width + widthOfOne(segment);
    if (next > columns - 1) break;
    kept += segment;
    width = next;
  }
  return `${kept}${MORE}`;
}

const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)));

const GAP = '  ';
/** Below this a column says nothing any more. */
const LEAST = 8;

/**
 * Rows below a header, as columns of one width each; the last one is as long as it is.
 * @param columns of the terminal: the widest columns give way until the lines fit; null: nothing is cut
 */
export function tableLines(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | null,
): string[] {
  // A row is one line, whatever stands in it.
  const all = [header, ...rows].map((row) => row.map((cell) => cell.replace(/\s*\n\s*/g, ' ')));
  const widths = header.map((_, i) => Math.max(...all.map((row) => widthOf(row[i] ?? ''))));
  if (columns !== null) fit(widths, columns - GAP.length * (header.length - 1));
  return all.map((row) =>
    widths
      .map((width, i) => {
        const cell = columns === null ? (row[i] ?? '') : cutTo(row[i] ?? '', width);
        return i === widths.length - 1 ? cell : padded(cell, width);
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Takes columns from the widest until all fit, as far as they may shrink. */
function fit(widths: number[], room: number): void {
  let over = widths.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= LEAST) return;
    widths[widest]! -= 1;
    over -= 1;
  }
}
