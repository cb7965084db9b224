import type { ReadStream } from 'node:fs';
import { exportMemories } from '@slowwave/api';
import { type ExportCounts, ExportError, exportLines } from '@slowwave/db';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { whileConnected } from './connected.ts';
import type { AppOptions } from './options.ts';
import { requireRole } from './principal.ts';
import { Problem } from './problem.ts';
import { type Call, serve } from './serve.ts';
import { openSpool, type Spool } from './spool.ts';
import { unknownUser } from './users.ts';

/**
 * Everything of a tenant or a user as JSON Lines. It is read into a file first and sent from there: a client that reads slowly would
 * hold the snapshot, and the embedded database altogether; and what goes wrong is told as a problem, not by a body that ends early.
 */
export function registerExport(app: FastifyInstance, options: AppOptions): void {
  serve(app, exportMemories, async (call) => {
    if (call.query.user === undefined) requireRole(call.principal, 'admin');
    const spool = await openSpool();
    try {
      const { counts, bytes } = await fill(spool, call, options);
      options.logger.info({ ...counts, bytes }, 'export read');
      return bodyOf(call.reply, spool, bytes);
    } catch (error) {
      await spool.close();
      throw problemOf(error, options);
    }
  });
}

async function fill(
  { file }: Spool,
  { tenant, query: { user }, request }: Call<typeof exportMemories>,
  { database, stopping }: AppOptions,
): Promise<{ counts: ExportCounts; bytes: number }> {
  let bytes = 0;
  const counts = await whileConnected(request, stopping, (signal) =>
    exportLines(database, {
      tenant,
      user: user ?? null,
      signal,
      async write(lines) {
        const page = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        bytes += page.length;
        await file.writeFile(page);
      },
    }),
  );
  return { counts, bytes };
}

/** What was read, as the answer's body; the file goes when it is sent. */
function bodyOf(reply: FastifyReply, spool: Spool, bytes: number): ReadStream {
  const body = spool.file.createReadStream({ start: 0 });
  body.once('close', () => void spool.close());
  reply
    .header('content-length', bytes)
    .header('content-disposition', 'attachment; filename="slowwave-export.jsonl"')
    .type('application/x-ndjson; charset=utf-8');
  return body;
}

function problemOf(error: unknown, { stopping }: AppOptions): unknown {
  if (error instanceof ExportError) return unknownUser();
  if (stopping.aborted) return new Problem(503, 'stopping', 'the service is stopping; ask again later');
  if (error instanceof Error && error.name === 'AbortError') {
    return new Problem(400, 'broken_off', 'the client hung up before the export was read');
  }
  const { code } = (error ?? {}) as { code?: unknown };
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new Problem(503, 'no_space', 'there is no room for the export where temporary files stand');
}
