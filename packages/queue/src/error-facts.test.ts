import { describe, expect, it } from 'vitest';
import { errorFacts } from './error-facts.ts';

const CANARY = 'her cat is called Quince';

describe('what a log line says of an error', () => {
  it('is its class, its code and where it came from', () => {
    const facts = errorFacts(Object.assign(new RangeError(CANARY), { code: 'too_far' }));
    expect(facts).toMatchObject({ error: 'RangeError', code: 'too_far' });
    expect(facts.at[0]).toContain('error-facts.test.ts');
  });

  it('is never its message, however it is dressed up', () => {
    const lines = `\n    at ${CANARY} (/home:1:1)\n    at x (/a/${CANARY}:1:1)`;
    const dressed = Object.assign(new Error(`${CANARY}${lines}`), { code: CANARY });
    const renamed = Object.assign(new Error('x'), { stack: `Error: x\n    at ${CANARY}` });
    class Odd extends Error {}
    Object.defineProperty(Odd, 'name', { value: CANARY });
    for (const error of [dressed, renamed, new Odd(CANARY), CANARY, { message: CANARY }, null]) {
      expect(JSON.stringify(errorFacts(error))).not.toContain('Quince');
    }
  });
});
