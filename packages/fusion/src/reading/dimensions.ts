import type { Measure } from './amounts.ts';
import type { Language } from './languages/language.ts';
import { readMeasure } from './measure.ts';
import type { Reading } from './number-reading.ts';
import type { Token } from './tokens.ts';

/** "142 over 91", as blood pressure is said, is 142/91. */
export function readPressure(tokens: readonly Token[], at: number): Reading | null {
  const [above, over, below] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (over?.folded !== 'over' || above?.kind !== 'digits' || below?.kind !== 'digits') return null;
  if (!/^\d{2,3}$/.test(above.text) || !/^\d{2,3}$/.test(below.text)) return null;
  return { values: [`${above.text}/${below.text}`], next: at + 3 };
}

/** 5'10": tokens are 5'10 and a quotation mark. */
export function readHeight(tokens: readonly Token[], at: number): Reading | null {
  const token = tokens[at]!;
  if (token.kind !== 'digits' || !/^\d'\d{1,2}$/.test(token.text) || Number(token.text.slice(2)) > 11)
    return null;
  const closes = tokens[at + 1]?.text === '"' && tokens[at + 1]!.glued;
  return { values: [`${token.text[0]!}'${Number(token.text.slice(2))} ft`], next: at + (closes ? 2 : 1) };
}

/** 10x15, 10 x 15 cm, 10 by 15 feet, 2x3x4. */
export function readDimensions(
  tokens: readonly Token[],
  first: Measure,
  language: Language | null,
): Reading | null {
  const sizes: string[] = [first.values[0]!];
  let unit = first.unit;
  let next = first.next;
  // "10x" was read as "10 times".
  let crossed = unit === 'times' && tokens[next - 1]?.folded === 'x';
  if (crossed) unit = null;
  if (first.values.length > 1 || first.ordinal) return null;
  while (sizes.length < 3) {
    const by = tokens[next];
    const x = by?.folded === 'x' && tokens[next + 1]?.kind === 'digits';
    if (!crossed && !x && !(by?.folded === 'by' && tokens[next + 1]?.kind === 'digits')) break;
    const start = crossed ? next : next + 1;
    if (tokens[start]?.kind !== 'digits') break;
    const size = readMeasure(tokens, start, language);
    if (size === null || size.values.length > 1 || size.ordinal) break;
    crossed = size.unit === 'times' && tokens[size.next - 1]?.folded === 'x';
    const own = crossed ? null : size.unit;
    if (unit !== null && own !== null && unit !== own) break;
    sizes.push(size.values[0]!);
    unit = own ?? unit;
    next = size.next;
  }
  if (sizes.length < 2) return null;
  return { values: [`${sizes.join('x')}${unit === null ? '' : ` ${unit}`}`], next };
}
