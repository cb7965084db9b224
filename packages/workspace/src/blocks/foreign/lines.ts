import { lineOf } from '@slowwave/db';
import type { ForeignRecord } from './types.ts';

/** Records as JSON Lines. @returns the text, and of each of its lines (from 1) the line or entry of the foreign file; 0 when there is none */
export function linesOf(records: readonly ForeignRecord[]): { text: string; origin(line: number): number } {
  const text = records.map(({ record }) => `${lineOf(record)}\n`).join('');
  return { text, origin: (line) => records[line - 1]?.line ?? 0 };
}
