import type { MemoryGetOptions, MemoryGetResult } from '../backend/types.ts';
import { displayPath } from './paths.ts';

const DEFAULT_LINES = 120;
const MAX_LINES = 400;

/** A number as it was asked for, the default for what is no number. */
function asked(value: number | undefined, fallback: number): number {
  return typeof value !== 'number' || Number.isNaN(value) ? fallback : value;
}

export interface LineWindow {
  content: string;
  /** From 1, as asked. */
  startLine: number;
  /** Of the last line that is there; below `startLine` when the window begins after it. */
  endLine: number;
  totalLines: number;
}

/** Lines of a text; lines end at `\n` alone, so a trailing one makes one more, empty line. */
export function lineWindow(content: string, options: Omit<MemoryGetOptions, 'path'>): LineWindow {
  const lines = content.split('\n');
  const start = Math.floor(Math.max(1, Math.min(asked(options.startLine, 1), Number.MAX_SAFE_INTEGER)));
  const count = Math.floor(Math.max(1, Math.min(asked(options.lineCount, DEFAULT_LINES), MAX_LINES)));
  const from = Math.min(start - 1, lines.length);
  const to = Math.min(from + count, lines.length);
  return {
    content: lines.slice(from, to).join('\n'),
    startLine: start,
    endLine: to,
    totalLines: lines.length,
  };
}

/** The answer of `get` for a document of the memory folder. */
export function windowResult(
  name: string,
  content: string,
  options: Omit<MemoryGetOptions, 'path'>,
  backend: string,
): MemoryGetResult {
  return { path: displayPath(name), ...lineWindow(content, options), backend };
}
