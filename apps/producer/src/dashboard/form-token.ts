import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const FORM_FIELD = 'form';

/** Tokens that tie a form to the session it was shown to. They are derived, so nothing has to be kept of them. */
export interface FormTokens {
  of(session: string): string;
  fits(session: string, given: string | null): boolean;
}

export function createFormTokens(): FormTokens {
  // Of this process, as the sessions are.
  const secret = randomBytes(32);
  const of = (session: string) => createHmac('sha256', secret).update(session).digest('base64url');
  return {
    of,
    fits(session, given) {
      const expected = Buffer.from(of(session));
      const found = Buffer.from(given ?? '');
      return expected.length === found.length && timingSafeEqual(expected, found);
    },
  };
}
