import { expect, it } from 'vitest';
import { connectOptionsWithin } from './engine.ts';

it('tries a server as often as the time allows', () => {
  const spent = (timeoutMs: number) => {
    const { attempts, baseMs, maxMs } = connectOptionsWithin(timeoutMs);
    return Array.from({ length: attempts - 1 }, (_, i) => Math.min(maxMs, baseMs * 2 ** i)).reduce(
      (a, b) => a + b,
      0,
    );
  };
  for (const timeoutMs of [1_000, 30_000, 600_000]) {
    expect(spent(timeoutMs)).toBeGreaterThanOrEqual(timeoutMs);
    expect(spent(timeoutMs)).toBeLessThanOrEqual(timeoutMs + 5_000);
  }
});
