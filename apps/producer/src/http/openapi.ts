import * as api from '@slowwave/api';
import type { FastifyInstance } from 'fastify';
import { serve } from './serve.ts';

/** The description of the service for programs, to everybody. */
export function registerOpenApi(app: FastifyInstance, version: string): void {
  const document = { openapi: '', ...api.openApiDocument(version) };
  serve(app, api.getOpenApi, () => document);
}
