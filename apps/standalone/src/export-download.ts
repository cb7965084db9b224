import type { ExportCounts } from '@slowwave/db';
import { type ServiceClient, ServiceError } from './client.ts';

/** Reads an export from the running service, a chunk at a time. @throws ServiceError */
export async function downloadLines(
  client: Pick<ServiceClient, 'url' | 'export'>,
  options: {
    tenant: string;
    user?: string | undefined;
    write: (lines: readonly string[]) => Promise<void>;
    onProgress: (counts: ExportCounts) => void;
  },
): Promise<ExportCounts> {
  const { tenant, user, write, onProgress } = options;
  const body = await client.export({ tenant, user });
  const counts: ExportCounts = { users: 0, memories: 0, lines: 0 };
  let last = '';
  for await (const lines of pagesOf(body, client.url)) {
    counts.lines += lines.length;
    for (const line of lines) {
      if (line.startsWith('{"kind":"memory"')) counts.memories++;
      else if (line.startsWith('{"kind":"user"')) counts.users++;
    }
    last = lines.at(-1) ?? last;
    await write(lines);
    onProgress({ ...counts });
  }
  if (!last.startsWith('{"kind":"slowwave-export-end"')) throw brokenOff(client.url);
  return counts;
}

const brokenOff = (url: string): ServiceError =>
  new ServiceError(0, 'unreachable', `the running service at ${url} ended in the middle of the export`);

/** Whole lines, as many as a chunk ends. */
async function* pagesOf(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<string[]> {
  // A mark of byte order within a text is a character like any other.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest: string[] = [];
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await chunks.next().catch(() => {
      throw brokenOff(url);
    });
    if (done) break;
    const text = decoder.decode(value, { stream: true });
    const end = text.lastIndexOf('\n');
    if (end === -1) {
      rest.push(text);
      continue;
    }
    const lines = (rest.join('') + text.slice(0, end)).split('\n');
    rest = [text.slice(end + 1)];
    yield lines;
  }
}
