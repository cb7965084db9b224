import { grouped } from './limits.ts';
import type { Problem } from './problems.ts';

/** One line of a file: its text without its end, or why it cannot be read. */
export type RawLine =
  | { line: number; text: string }
  /** `start`: how a line that is too long begins. `fatal`: the file as a whole cannot be read, and this is its last line. */
  | { line: number; problem: Problem; fatal: boolean; start?: string };

export interface LineLimits {
  lineBytes: number;
  lines: number;
  /** Lines that begin so may be longer. */
  longer?: { start: string; lineBytes: number };
}

/** How much of a line is known when its limit is chosen. */
const START_BYTES = 64;

/** First bytes of files that are often given by mistake. */
const FOREIGN_FILES: readonly { bytes: readonly number[]; what: string }[] = [
  { bytes: [0xff, 0xfe], what: 'UTF-16 text; save it as UTF-8' },
  { bytes: [0xfe, 0xff], what: 'UTF-16 text; save it as UTF-8' },
  { bytes: [0x1f, 0x8b], what: 'compressed with gzip; unpack it first' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'a zip archive; unpack it first' },
];

const foreignFile = (head: Uint8Array) =>
  FOREIGN_FILES.find((kind) => kind.bytes.every((byte, position) => head[position] === byte));

/** Editors on Windows put a byte order mark before a file, and joined files carry it into the middle. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);
const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

const limitOf = ({ lineBytes, longer }: LineLimits, start: string): number =>
  longer && start.startsWith(longer.start) ? longer.lineBytes : lineBytes;

const tooLong = (line: number, bytes: number, limit: number, start: string): RawLine => ({
  line,
  fatal: false,
  start,
  problem: {
    code: 'line_too_long',
    field: null,
    message: `the line has ${grouped(bytes)} bytes; the limit is ${grouped(limit)}`,
  },
});

const tooMany = (limit: number): RawLine => ({
  line: limit + 1,
  fatal: true,
  problem: {
    code: 'too_many_lines',
    field: null,
    message: `the file has more than ${grouped(limit)} lines; from here on nothing was read; split the file`,
  },
});

/** Reads one line as UTF-8, refusing what is not: a replacement character would lose text. */
function createDecoder(): (line: number, bytes: Uint8Array) => RawLine {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (line, bytes) => {
    const foreign = line === 1 ? foreignFile(bytes) : undefined;
    if (foreign) {
      const message = `the file is ${foreign.what}`;
      return { line, fatal: true, problem: { code: 'not_text', field: null, message } };
    }
    try {
      return { line, text: withoutReturn(withoutMark(utf8.decode(bytes))) };
    } catch {
      const message = 'the line holds bytes that are not UTF-8; save the file as UTF-8';
      return { line, fatal: false, problem: { code: 'invalid_utf8', field: null, message } };
    }
  };
}

/**
 * A line that arrives in pieces, however small, kept in one buffer that doubles when it is full. Past the limit only the
 * length is counted.
 */
function createLineBuffer(limits: LineLimits) {
  const decode = createDecoder();
  const start = Buffer.alloc(START_BYTES);
  let held = Buffer.alloc(4096);
  let bytes = 0;
  const startText = () => start.toString('utf8', 0, Math.min(bytes, START_BYTES));
  return {
    isEmpty: () => bytes === 0,
    add(piece: Uint8Array): void {
      const from = bytes;
      bytes += piece.length;
      if (from < START_BYTES) start.set(piece.subarray(0, START_BYTES - from), from);
      if (bytes > limits.lineBytes && bytes > limitOf(limits, startText())) return;
      if (bytes > held.length) {
        const larger = Buffer.alloc(Math.max(bytes, held.length * 2));
        held.copy(larger, 0, 0, from);
        held = larger;
      }
      held.set(piece, from);
    },
    finish(line: number): RawLine {
      const length = bytes;
      const begins = startText();
      const limit = limitOf(limits, begins);
      bytes = 0;
      return length > limit ? tooLong(line, length, limit, begins) : decode(line, held.subarray(0, length));
    },
  };
}

/** The lines of a stream of bytes, one at a time; at most one line and one chunk are held. */
export async function* linesOfBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: LineLimits,
): AsyncGenerator<RawLine> {
  const buffer = createLineBuffer(limits);
  let line = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      buffer.add(chunk.subarray(from, end));
      from = end + 1;
      if (++line > limits.lines) return yield tooMany(limits.lines);
      const raw = buffer.finish(line);
      yield raw;
      if ('fatal' in raw && raw.fatal) return;
    }
    buffer.add(chunk.subarray(from));
  }
  if (buffer.isEmpty()) return;
  yield ++line > limits.lines ? tooMany(limits.lines) : buffer.finish(line);
}

/** The lines of a text already in memory. It is not encoded first, since that would hide half surrogates. */
export function* linesOfText(text: string, limits: LineLimits): Generator<RawLine> {
  let from = 0;
  for (let line = 1; from < text.length; line++) {
    if (line > limits.lines) return yield tooMany(limits.lines);
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    const content = text.slice(from, end);
    from = end + 1;
    const bytes = Buffer.byteLength(content);
    const start = content.slice(0, START_BYTES);
    const limit = limitOf(limits, start);
    if (bytes > limit) yield tooLong(line, bytes, limit, start);
    else yield { line, text: withoutReturn(withoutMark(content)) };
  }
}
