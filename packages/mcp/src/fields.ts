import { z } from 'zod';

/** A day, or an instant with its zone, as agents write them. */
export const dateField = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'expected a date such as 2026-05-31, or an instant such as 2026-05-31T18:00:00Z',
});

/** Of what cannot be done without the user's word. */
export const confirmField = z
  .boolean()
  .default(false)
  .describe('true: the user has said yes to exactly this.');

export const cursorField = z.string().optional().describe('The next_cursor of the page before.');

/** What an agent is told where its host cannot ask the user. */
export const ASK_FIRST = 'Ask the user; then call again with confirm: true.';
/** Characters of a memory in a question to the user. */
export const SHOWN_TO_PERSON = 300;
