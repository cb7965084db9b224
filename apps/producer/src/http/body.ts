import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Whether a body is declared as anything but UTF-8, which is what every route reads. @returns 415 `unsupported_media_type`, or null */
export function charsetProblem({ headers }: Pick<FastifyRequest, 'headers'>): Problem | null {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return null;
  return new Problem(415, 'unsupported_media_type', 'bodies are read as UTF-8, and in no other charset');
}

/**
 * Reads JSON from bytes that are UTF-8, with or without a byte order mark. Other bytes are refused: a replacement character in their place
 * would lose text.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  // "constructor" is a name as any other in what callers keep with a memory; "__proto__" stays refused.
  const parse = app.getDefaultJsonParser('error', 'ignore');
  const textOf = (bytes: Buffer): string | null => {
    try {
      return utf8.decode(bytes);
    } catch {
      return null;
    }
  };
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = textOf(body as Buffer);
    if (text !== null) return parse(request, text, done);
    done(new Problem(400, 'invalid_body', 'the body is not UTF-8 text: send JSON in UTF-8'));
  });
}
