import { Readable } from 'node:stream';
import { importMemories } from '@slowwave/api';
import { ImportError, type ImportSummary, loadImport, parseIsoDate } from '@slowwave/db';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { restoredFolder } from '../workspaces/folders.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { type Call, serve } from './serve.ts';
import { spool } from './spool.ts';

const TYPES = ['application/x-ndjson', 'text/plain', 'application/octet-stream'];
export const IMPORT_MAX_BYTES = 1024 ** 3;

/** Importing a file: JSON Lines or one memory on each line, read as it arrives and never held whole. */
export function registerImports(app: FastifyInstance, options: AppOptions): void {
  app.register(async (imports) => {
    imports.removeAllContentTypeParsers();
    imports.addContentTypeParser(TYPES, (_request, payload, done) => done(null, payload));
    imports.addContentTypeParser('*', (_request, _payload, done) => done(otherType()));
    const handle = async (call: Call<typeof importMemories>) => {
      const { request, reply, query } = call;
      const body = bodyOf(request);
      const date = dateOf(query.date);
      if (Number(request.headers['content-length'] ?? 0) > IMPORT_MAX_BYTES) {
        reply.header('connection', 'close');
        throw tooLarge();
      }
      try {
        const summary = await load(body, { ...call, date }, options);
        requireGoodLine(summary);
        return summary;
      } catch (error) {
        const problem = endedEarly(error, body, options);
        // What the client still sends is taken, or it could not read the answer; but not without end.
        if (problem instanceof Problem && problem.status === 413) reply.header('connection', 'close');
        else body.resume();
        throw problem;
      }
    };
    serve(imports, importMemories, handle, { longBody: true });
  });
}

async function load(
  body: Readable,
  { tenant, query, date, principal, request }: Call<typeof importMemories> & { date: number | undefined },
  options: AppOptions,
): Promise<ImportSummary> {
  const { user, format, merge } = query;
  const declared = request.headers['content-type']?.startsWith('application/x-ndjson') ? 'jsonl' : 'auto';
  const summary = await loadImport(options.database, limited(body, IMPORT_MAX_BYTES), {
    format: format === 'auto' ? declared : format,
    defaults: { tenant, ...(user === undefined ? {} : { user }), ...(date === undefined ? {} : { date }) },
    at: options.now(),
    maxContentChars: options.maxMemoryChars,
    merge,
    // A restored export sets what is otherwise worked out here.
    restore: principal.role === 'admin',
    folderOf: (asked) => restoredFolder(asked, principal.tenant === null ? (options.folders ?? []) : null),
    ...(principal.tenant === null ? {} : { onlyTenant: principal.tenant }),
    spool,
    signal: options.stopping,
  });
  const { lines, inserted, unchanged, problemCount, usersCreated } = summary;
  options.logger.info(
    { lines, inserted, unchanged, problems: problemCount, usersCreated },
    'import finished',
  );
  return summary;
}

/** Neither a client that hangs up nor a service that stops is an error of ours. The batches before stay. */
function endedEarly(error: unknown, body: Readable, { stopping, logger }: AppOptions): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof ImportError && error.code === 'restore_refused') {
    return new Problem(403, 'role_too_low', error.message);
  }
  const why = body.errored ? 'broken_off' : stopping.aborted ? 'stopping' : null;
  if (why === null) return error;
  logger.info({ why }, 'import ended early');
  const status = why === 'stopping' ? 503 : 400;
  return new Problem(
    status,
    why,
    'the import ended early; what was read is kept, and sending the file again goes on',
  );
}

/** Epoch ms. @throws Problem 400 `invalid_request` */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const date = parseIsoDate(text);
  if (date.ok) return date.ms;
  const expected = 'date: expected a date such as 2026-03-01 or 2026-03-01T12:00:00Z';
  throw new Problem(400, 'invalid_request', `the query is not as expected: ${expected}`);
}

function bodyOf(request: FastifyRequest): Readable {
  if (request.body instanceof Readable) return request.body;
  throw otherType();
}

function otherType(): Problem {
  return new Problem(415, 'unsupported_media_type', `expected a body as one of ${TYPES.join(', ')}`);
}

function tooLarge(): Problem {
  return new Problem(413, 'body_too_large', 'an import holds at most 1 GB; split the file');
}

/** Passes the body on up to the limit, and leaves it open when the reader stops early: the answer still needs the connection. */
export async function* limited(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maxBytes) throw tooLarge();
    yield chunk as Uint8Array;
  }
}

function requireGoodLine(summary: ImportSummary): void {
  if (summary.users.length + summary.inserted + summary.unchanged > 0) return;
  const detail =
    summary.problemCount === 0
      ? 'the import holds no memory at all'
      : 'no line of the import could be used; each is listed with its reason';
  const { lines, problems, problemCount } = summary;
  throw new Problem(422, 'no_good_line', detail, { lines, problems, problemCount });
}
