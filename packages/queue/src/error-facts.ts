import { classNameOf, framesOf } from './safe-error.ts';

/** What a log line may say of an error: its class, its code and where it was thrown. Never its message: that may quote anything. */
export interface ErrorFacts {
  error: string;
  code: string | null;
  at: string[];
}

const CODE = /^[A-Za-z0-9_]{1,64}$/;

export function errorFacts(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { error: `thrown ${typeof error}`, code: null, at: [] };
  const { code } = error as { code?: unknown };
  const at = framesOf(error)
    .split('\n')
    .filter((line) => line !== '');
  return {
    error: classNameOf(error),
    code: typeof code === 'string' && CODE.test(code) ? code : null,
    at: at.map((line) => line.trim()),
  };
}
