/** Enough for a header with the longest names. */
const HEAD_BYTES = 8 * 1024;

/** The first line that is not blank, as far as the first 8 KiB hold it, and the same source from its beginning. */
export async function peekLine(
  source: AsyncIterable<Uint8Array> | string,
): Promise<{ line: string; source: AsyncIterable<Uint8Array> | string }> {
  if (typeof source === 'string') return { line: firstLine(source.slice(0, HEAD_BYTES)), source };
  const iterator = source[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let text = '';
  for (let bytes = 0; bytes < HEAD_BYTES && !/\S.*\n/.test(text); ) {
    const { value, done } = await iterator.next();
    if (done) break;
    head.push(value);
    bytes += value.length;
    text = Buffer.concat(head).toString('utf8', 0, HEAD_BYTES);
  }
  return { line: firstLine(text), source: replay(head, iterator) };
}

const firstLine = (text: string): string => text.split('\n').find((line) => line.trim() !== '') ?? '';

async function* replay(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* head;
    for (;;) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
