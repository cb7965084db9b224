import * as api from '@slowwave/api';
import type { WorkspaceKey } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { WorkspaceCalls, WriteInput } from '../workspaces/types.ts';
import type { AppOptions } from './options.ts';
import type { Principal } from './principal.ts';
import { serve } from './serve.ts';

const LARGE = { bodyLimit: api.DOCUMENT_BODY_MAX_BYTES, longBody: true };

interface Keyed {
  tenant: string;
  query: { user: string; workspace: string };
}

const keyOf = ({ tenant, query: { user, workspace } }: Keyed): WorkspaceKey => ({ tenant, user, workspace });

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

  serve(app, api.readMemory, (call) => calls.read(keyOf(call)));

  serve(
    app,
    api.writeMemory,
    async (call) => {
      const input = inputOf(call);
      const written = await calls.write(keyOf(call), input);
      tell('the memory of a workspace was written', keyOf(call), input.by);
      return written;
    },
    LARGE,
  );

  serve(app, api.readDocument, (call) => {
    const { path, startLine, lineCount } = call.query;
    return calls.file(keyOf(call), { path, startLine, lineCount });
  });

  serve(
    app,
    api.writeDocument,
    async (call) => {
      const input = inputOf(call);
      const written = await calls.writeFile(keyOf(call), { path: call.query.path, ...input });
      tell('a document of a workspace was written', keyOf(call), input.by);
      return written;
    },
    LARGE,
  );

  serve(
    app,
    api.appendToDocument,
    async (call) => {
      const { content, by = call.principal.name } = call.body;
      const written = await calls.append(keyOf(call), { path: call.query.path, content, by });
      tell('something was added to a document of a workspace', keyOf(call), by);
      return written;
    },
    LARGE,
  );

  serve(app, api.removeDocument, async (call) => {
    const { path, by = call.principal.name } = call.query;
    const removed = await calls.removeFile(keyOf(call), { path, by });
    tell('files of a workspace were removed', keyOf(call), by);
    return removed;
  });

  serve(app, api.renameDocument, async (call) => {
    const { newPath, by = call.principal.name } = call.body;
    const renamed = await calls.renameFile(keyOf(call), { path: call.query.path, newPath, by });
    tell('files of a workspace were renamed', keyOf(call), by);
    return renamed;
  });

  serve(app, api.browseDocuments, (call) => calls.tree(keyOf(call), { path: call.query.path }));

  serve(app, api.listDocuments, (call) => calls.files(keyOf(call)));

  serve(app, api.searchDocuments, (call) => {
    const { query, limit } = call.query;
    return calls.search(keyOf(call), { query, limit });
  });

  serve(app, api.describeBackend, (call) => calls.backend(keyOf(call)));
  registerInsightRoutes(app, calls, tell);
}

function registerInsightRoutes(
  app: FastifyInstance,
  calls: WorkspaceCalls,
  tell: (what: string, key: WorkspaceKey, by: string) => void,
): void {
  serve(app, api.readInsights, (call) => calls.insights(keyOf(call)));

  serve(
    app,
    api.writeInsights,
    async (call) => {
      const input = inputOf(call);
      const written = await calls.writeInsights(keyOf(call), input);
      tell('the insights of a workspace were written', keyOf(call), input.by);
      return written;
    },
    LARGE,
  );

  serve(app, api.extractInsights, async (call) => {
    const { force, by = call.principal.name } = call.body;
    const answer = await calls.extract(keyOf(call), { force, by });
    tell('somebody asked for insights of a workspace', keyOf(call), by);
    return answer;
  });

  serve(app, api.auditMemory, (call) => calls.audit(keyOf(call)));
}

interface Written {
  content: string;
  expectedVersion?: string | null | undefined;
  expectedSha256?: string | null | undefined;
  by?: string | undefined;
}

/** Both names of the expected version are one. */
function inputOf({ body, principal }: { body: Written; principal: Principal }): WriteInput {
  const { content, expectedVersion, expectedSha256, by = principal.name } = body;
  return { content, by, expected: expectedVersion === undefined ? expectedSha256 : expectedVersion };
}
