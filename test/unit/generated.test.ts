import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ROUTES } from '@slowwave/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { generatedFiles, pathOf } from '../../scripts/generate/files.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; tags: string[]; responses: object }>>;
}

describe('what is generated from the declared routes and settings', () => {
  let files: Record<string, string>;
  let document: Document;
  beforeAll(async () => {
    files = await generatedFiles();
    document = JSON.parse(files['docs/openapi.json']!) as Document;
  });

  it('stands in the repository as the sources have it ("npm run generate" writes it, UPDATE_GENERATED=1 too)', () => {
    expect(Object.keys(files).length).toBeGreaterThan(2);
    for (const [name, text] of Object.entries(files)) {
      const path = pathOf(name);
      if (process.env.UPDATE_GENERATED) writeFileSync(path, text);
      // Compared as a whole, and told by name: a difference of thousands of lines helps nobody.
      const stands = existsSync(path) && readFileSync(path, 'utf8') === text;
      expect([name, stands]).toEqual([name, true]);
    }
  });

  it('is a valid document of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(document as unknown as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect([result.valid, document.openapi]).toEqual([true, '3.1.0']);
  });

  it('has one operation for each route, each with a name of its own', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const declared = ROUTES.map(
      ({ operation, method, path }) => `${operation} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(operations.sort()).toEqual(declared.sort());
    const names = ROUTES.map(({ operation }) => operation);
    expect(new Set(names).size).toBe(names.length);
  });

  it('answers each route with a success and, where a token is needed, with the refusals of all', () => {
    for (const { operation, method, path, role } of ROUTES) {
      const { responses } = document.paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!;
      const statuses = Object.keys(responses);
      expect([operation, statuses.some((status) => status.startsWith('2'))]).toEqual([operation, true]);
      if (role !== null) expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '500']));
    }
  });
});
