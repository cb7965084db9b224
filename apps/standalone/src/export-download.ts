import type { ExportCounts, FolderOwner } from '@slowwave/db';
import { ServiceError } from './client.ts';

/** Reads an export from the running service, a chunk at a time. @throws ServiceError */
export async function downloadLines(
  owner: Pick<FolderOwner, 'url' | 'token'>,
  options: {
    tenant: string;
    user?: string | undefined;
    write: (lines: readonly string[]) => Promise<void>;
    onProgress: (counts: ExportCounts) => void;
  },
): Promise<ExportCounts> {
  const { tenant, user, write, onProgress } = options;
  const query = new URLSearchParams({ tenant, ...(user === undefined ? {} : { user }) });
  const body = await request(owner, `/v1/export?${query}`);
  const counts: ExportCounts = { users: 0, memories: 0, lines: 0 };
  let last = '';
  for await (const lines of pagesOf(body, owner.url ?? '')) {
    counts.lines += lines.length;
    for (const line of lines) {
      if (line.startsWith('{"kind":"memory"')) counts.memories++;
      else if (line.startsWith('{"kind":"user"')) counts.users++;
    }
    last = lines.at(-1) ?? last;
    await write(lines);
    onProgress({ ...counts });
  }
  if (!last.startsWith('{"kind":"slowwave-export-end"')) throw brokenOff(owner.url ?? '');
  return counts;
}

const brokenOff = (url: string): ServiceError =>
  new ServiceError(0, 'unreachable', `the running service at ${url} ended in the middle of the export`);

async function request(
  { url, token }: Pick<FolderOwner, 'url' | 'token'>,
  address: string,
): Promise<AsyncIterable<Uint8Array>> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(new URL(address, url ?? ''), { headers }).catch(() => null);
  if (!response) {
    const why = `the running service at ${url} does not answer; is it stopping?`;
    throw new ServiceError(0, 'unreachable', why);
  }
  if (response.ok && response.body) return response.body as unknown as AsyncIterable<Uint8Array>;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  const detail = problem.detail ?? `the service answered ${response.status}`;
  throw new ServiceError(response.status, problem.code ?? 'refused', detail);
}

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
