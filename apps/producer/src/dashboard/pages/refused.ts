import { EditRefused, ReviewRefused, UndoRefused } from '@slowwave/db';
import { Problem } from '../../http/problem.ts';

/** Refusals of decisions, undoing and edits as problems. Their sentences say what to do, in states and ids. */
export function asProblem(error: unknown): never {
  const refused =
    error instanceof ReviewRefused || error instanceof UndoRefused || error instanceof EditRefused;
  if (!refused) throw error;
  throw new Problem(error.code === 'unknown' ? 404 : 409, error.code, error.message);
}
