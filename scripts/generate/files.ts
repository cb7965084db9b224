import { readFileSync } from 'node:fs';
import { openApiDocument } from '@slowwave/api';
import { clientFiles } from './client.ts';
import type { Document } from './document.ts';
import { settingsFiles } from './settings.ts';

const ROOT = new URL('../../', import.meta.url);

/** What is generated from the declared routes and settings, by path from the root of the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(new URL('packages/api/package.json', ROOT), 'utf8')) as {
    version: string;
  };
  // As a reader of the written file sees it, without what JSON leaves out.
  const text = `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
  const document = JSON.parse(text) as Document;
  return { 'docs/openapi.json': text, ...(await clientFiles(document)), ...settingsFiles() };
}

export function pathOf(name: string): URL {
  return new URL(name, ROOT);
}
