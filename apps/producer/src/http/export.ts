import { type ExportCounts, ExportError, exportLines } from '@slowwave/db';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { openSpool, type Spool } from './spool.ts';
import { unknownUser } from './users.ts';

const querySchema = z.strictObject({ tenant: tenantSchema, user: idSchema.optional() });

/**
 * Everything of a tenant or a user as JSON Lines. It is read into a file first and sent from there: a client that reads slowly would
 * hold the snapshot, and the embedded database altogether; and what goes wrong is told as a problem, not by a body that ends early.
 */
export function registerExport(app: FastifyInstance, options: AppOptions): void {
  app.get('/v1/export', async (request, reply) => {
    const query = parseInput(querySchema, request.query, 'query');
    const spool = await openSpool();
    try {
      const { counts, bytes } = await fill(spool, query, request, options);
      options.logger.info({ ...counts, bytes }, 'export read');
      return send(reply, spool, bytes);
    } catch (error) {
      await spool.close();
      throw problemOf(error, options);
    }
  });
}

async function fill(
  { file }: Spool,
  { tenant, user }: z.infer<typeof querySchema>,
  request: FastifyRequest,
  { database, stopping }: AppOptions,
): Promise<{ counts: ExportCounts; bytes: number }> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  request.raw.socket.once('close', hangUp);
  let bytes = 0;
  try {
    const counts = await exportLines(database, {
      tenant,
      user: user ?? null,
      signal: AbortSignal.any([stopping, gone.signal]),
      async write(lines) {
        const page = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        bytes += page.length;
        await file.writeFile(page);
      },
    });
    return { counts, bytes };
  } finally {
    request.raw.socket.off('close', hangUp);
  }
}

function send(reply: FastifyReply, spool: Spool, bytes: number): FastifyReply {
  const body = spool.file.createReadStream({ start: 0 });
  body.once('close', () => void spool.close());
  return reply
    .header('content-length', bytes)
    .header('content-disposition', 'attachment; filename="slowwave-export.jsonl"')
    .type('application/x-ndjson; charset=utf-8')
    .send(body);
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
