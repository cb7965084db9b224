import type { WorkspaceKey } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { WorkspaceCalls } from '../workspaces/types.ts';
import { parseInput } from './input.ts';
import type { AppOptions } from './options.ts';
import {
  appendBody,
  DOCUMENT_BODY_MAX_BYTES,
  extractBody,
  fileQuery,
  keyQuery,
  searchQuery,
  windowQuery,
  writeBody,
} from './workspaces-input.ts';

const LARGE = { bodyLimit: DOCUMENT_BODY_MAX_BYTES };

/** The routes of the memory contract, answered by the backend of the workspace that the query names. */
export function registerMemoryRoutes(
  app: FastifyInstance,
  { logger }: Pick<AppOptions, 'logger'>,
  calls: WorkspaceCalls,
): void {
  function tell(what: string, key: WorkspaceKey, by: string): void {
    const { tenant, user, workspace } = key;
    logger.info({ tenant, user, workspace, by }, what);
  }

  app.get('/api/memory', async (request) => calls.read(parseInput(keyQuery, request.query, 'query')));

  app.put('/api/memory', LARGE, async (request) => {
    const key = parseInput(keyQuery, request.query, 'query');
    const body = parseInput(writeBody, request.body ?? {}, 'body');
    const written = await calls.write(key, body);
    tell('the memory of a workspace was written', key, body.by);
    return written;
  });

  app.get('/api/memory/file', async (request) => {
    const { path, startLine, lineCount, ...key } = parseInput(windowQuery, request.query, 'query');
    return calls.file(key, { path, startLine, lineCount });
  });

  app.put('/api/memory/file', LARGE, async (request) => {
    const { path, ...key } = parseInput(fileQuery, request.query, 'query');
    const body = parseInput(writeBody, request.body ?? {}, 'body');
    const written = await calls.writeFile(key, { path, ...body });
    tell('a document of a workspace was written', key, body.by);
    return written;
  });

  app.post('/api/memory/file', LARGE, async (request) => {
    const { path, ...key } = parseInput(fileQuery, request.query, 'query');
    const body = parseInput(appendBody, request.body ?? {}, 'body');
    const written = await calls.append(key, { path, ...body });
    tell('something was added to a document of a workspace', key, body.by);
    return written;
  });

  app.get('/api/memory/files', async (request) => calls.files(parseInput(keyQuery, request.query, 'query')));

  app.get('/api/memory/search', async (request) => {
    const { query, limit, ...key } = parseInput(searchQuery, request.query, 'query');
    return calls.search(key, { query, limit });
  });

  app.get('/api/memory/backend', async (request) =>
    calls.backend(parseInput(keyQuery, request.query, 'query')),
  );

  app.get('/api/memory/insights', async (request) =>
    calls.insights(parseInput(keyQuery, request.query, 'query')),
  );

  app.put('/api/memory/insights', LARGE, async (request) => {
    const key = parseInput(keyQuery, request.query, 'query');
    const body = parseInput(writeBody, request.body ?? {}, 'body');
    const written = await calls.writeInsights(key, body);
    tell('the insights of a workspace were written', key, body.by);
    return written;
  });

  app.post('/api/memory/extract', async (request, reply) => {
    const key = parseInput(keyQuery, request.query, 'query');
    const body = parseInput(extractBody, request.body ?? {}, 'body');
    const answer = await calls.extract(key, body);
    tell('somebody asked for insights of a workspace', key, body.by);
    return reply.code(answer.status === 'queued' ? 202 : 200).send(answer);
  });

  app.get('/api/memory/audit', async (request) => calls.audit(parseInput(keyQuery, request.query, 'query')));
}
