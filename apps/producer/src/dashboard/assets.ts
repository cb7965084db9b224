import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

// The same from src/ and from dist/.
const FOLDER = new URL('../../assets/', import.meta.url);
const STYLES = [
  'colours.css',
  'base.css',
  'frame.css',
  'cards.css',
  'tables.css',
  'forms.css',
  'texts.css',
  'drawings.css',
  'narrow.css',
];
const SCRIPTS = ['dashboard.js'];
const YEAR_SECONDS = 31_536_000;

/** A file under an address that names its content: a browser keeps it for as long as it likes. */
interface Asset {
  path: string;
  content: string;
  type: string;
}

export interface Assets {
  style: Asset;
  script: Asset;
}

/** Reads the style sheet and the script that stand beside the program. */
export function readAssets(): Assets {
  return {
    style: assetOf(STYLES, 'css', 'text/css; charset=utf-8'),
    script: assetOf(SCRIPTS, 'js', 'text/javascript; charset=utf-8'),
  };
}

function assetOf(names: readonly string[], ending: string, type: string): Asset {
  const content = names.map((name) => readFileSync(new URL(name, FOLDER), 'utf8')).join('\n');
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/dashboard/assets/${hash}.${ending}`, content, type };
}

/** Serves both to anybody: they hold nothing but looks. */
export function registerAssets(app: FastifyInstance, { style, script }: Assets): void {
  for (const { path, content, type } of [style, script]) {
    app.get(path, async (_request, reply) =>
      reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`).type(type).send(content),
    );
  }
}
