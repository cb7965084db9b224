import { explain } from '../explain.ts';

/** `skipped`: it could not be looked at, because of another check that failed. */
export type Verdict = 'ok' | 'warn' | 'fail' | 'skipped';

/** What one check found, in one sentence, and what to do about it. No value of a setting stands in it. */
export interface Finding {
  verdict: Verdict;
  cause: string;
  /** What to do; null where nothing is to be done. */
  action: string | null;
}

export interface Check {
  name: string;
  look(): Promise<Finding>;
}

export interface CheckResult extends Finding {
  check: string;
  /** How long it took. */
  ms: number;
}

export const ok = (cause: string): Finding => ({ verdict: 'ok', cause, action: null });
export const warn = (cause: string, action: string): Finding => ({ verdict: 'warn', cause, action });
export const fail = (cause: string, action: string): Finding => ({ verdict: 'fail', cause, action });
export const skipped = (cause: string): Finding => ({ verdict: 'skipped', cause, action: null });

/** Does one check within its time. What a broken check throws is its own finding, and never the end of the others. */
export async function runCheck({ name, look }: Check, limitMs: number): Promise<CheckResult> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () =>
        resolve(
          fail(
            `no answer within ${limitMs / 1000} s`,
            'see whether what it looks at is busy or hangs, then try again',
          ),
        ),
      limitMs,
    );
  });
  const looked = Promise.resolve()
    .then(look)
    .catch((error: unknown) => fail(explain(error).message, 'mend this first, then run doctor again'));
  try {
    const finding = await Promise.race([looked, limit]);
    return { check: name, ...finding, ms: Math.round(performance.now() - started) };
  } finally {
    clearTimeout(timer);
  }
}
