import * as api from '@slowwave/api';
import type { FastifyInstance } from 'fastify';
import { serve } from './serve.ts';

/**
 * The description of the service for programs, to everybody. It is made when it is first asked for, which takes a tenth of a second: most
 * processes are never asked.
 */
export function registerOpenApi(app: FastifyInstance, version: string): void {
  let document: ReturnType<typeof documentOf> | undefined;
  serve(app, api.getOpenApi, () => {
    document ??= documentOf(version);
    return document;
  });
}

const documentOf = (version: string) => ({ openapi: '', ...api.openApiDocument(version) });
