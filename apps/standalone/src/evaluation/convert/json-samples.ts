import { UsageError } from '../../exit.ts';

/** Bytes of one sample: the largest of the published files have some 6 MB, and the longest string of V8 has 512 MB. */
export const SAMPLE_BYTES_MAX = 128 * 1024 * 1024;

export interface JsonSample {
  /** From 1, in the order of the file. */
  number: number;
  /** Undefined where the text between the braces is not valid JSON in UTF-8. */
  value: unknown;
}

const [TAB, LF, CR, SPACE, QUOTE, COMMA, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x5c];
const [LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SEPARATORS: ReadonlySet<number> = new Set([TAB, LF, CR, SPACE, COMMA]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

function parsedFrom(parts: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    return undefined;
  }
}

/**
 * Reads a JSON list of objects one by one, so that no more than one of them is held; an object alone, or several one after the other, are
 * read in the same way.
 * @param name how errors call the file
 * @throws UsageError where the file is no list of objects, ends within one, or has one above the limit
 */
export async function* readSamples(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  maxBytes = SAMPLE_BYTES_MAX,
): AsyncGenerator<JsonSample> {
  let [number, depth, offset] = [0, 0, 0];
  let [isList, ended, inString, escaped] = [false, false, false, false];
  let parts: Uint8Array[] = [];
  let size = 0;

  const notSamples = () =>
    new UsageError(`${name} is not a JSON list of samples: give the unpacked .json file`);
  function between(byte: number): void {
    if (SEPARATORS.has(byte)) return;
    if (byte === BYTE_ORDER_MARK[offset] && number === 0 && !isList) return;
    if (byte === LIST && number === 0 && !isList) isList = true;
    else if (byte === END_OF_LIST && isList && !ended) ended = true;
    else if (number === 0) throw notSamples();
    else throw new UsageError(`what follows sample ${number} of ${name} is not a sample: download it again`);
  }

  function keep(part: Uint8Array): void {
    size += part.byteLength;
    if (size > maxBytes) {
      const limit = `${Math.ceil(maxBytes / 1024 / 1024)} MiB`;
      throw new UsageError(`sample ${number} of ${name} is larger than ${limit}: split its history`);
    }
    parts.push(part);
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1, offset += 1) {
      const byte = chunk[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (depth === 0) {
        if (byte !== OBJECT || ended) between(byte);
        else {
          number += 1;
          depth = 1;
          start = at;
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === OBJECT || byte === LIST) depth += 1;
      else if (byte === END_OF_OBJECT || byte === END_OF_LIST) {
        depth -= 1;
        if (depth > 0) continue;
        keep(chunk.subarray(start, at + 1));
        yield { number, value: parsedFrom(parts) };
        [parts, size] = [[], 0];
      }
    }
    // A copy: the stream may write into the same memory again.
    if (depth > 0) keep(Uint8Array.from(chunk.subarray(start)));
  }
  if (number === 0 && !isList) throw notSamples();
  if (depth > 0 || (isList && !ended)) {
    throw new UsageError(`${name} ends after sample ${number} without its end: download it again`);
  }
}
