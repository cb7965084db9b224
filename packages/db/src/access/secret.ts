import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const TOKEN = /^swt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[\w-]{43}$/;

/** SHA-256 of a whole token, hex: what stands in the database. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Draws the secret of a token: `swt_`, its id without dashes, and 32 random bytes, so that a leaked one is recognised and traced. */
export function newSecret(id: string): { secret: string; digest: string } {
  const secret = `swt_${id.replaceAll('-', '')}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, digest: digestOf(secret) };
}

/** The id that a token names, or null for a text that is none. */
export function idOfToken(token: string): string | null {
  const parts = TOKEN.exec(token)?.slice(1);
  return parts === undefined ? null : parts.join('-');
}
