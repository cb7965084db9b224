import { describe, expect, it } from 'vitest';
import { createStatementNames } from './statement-names.ts';

describe('names of statements', () => {
  it('are given to what is said again and again, one to each text', () => {
    const names = createStatementNames({ least: 3 });
    expect([names.nameOf('a'), names.nameOf('a'), names.nameOf('b')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const name = names.nameOf('a');
    expect(name).toEqual(expect.any(String));
    expect(names.nameOf('a')).toBe(name);
    expect(names.nameOf('b')).toBeUndefined();
    expect(names.nameOf('b')).not.toBe(name);
  });

  it('are no more than so many, however many texts there are', () => {
    const names = createStatementNames({ max: 5, least: 2 });
    const given = Array.from({ length: 3 }, () =>
      Array.from({ length: 50 }, (_, n) => names.nameOf(`t${n}`)),
    );
    expect(new Set(given.flat().filter((name) => name !== undefined))).toHaveLength(5);
  });

  it('are not counted for without end', () => {
    const names = createStatementNames({ least: 2, counted: 10 });
    for (let n = 0; n < 10; n += 1) names.nameOf(`once ${n}`);
    expect(names.nameOf('more')).toBeUndefined();
    // Counted anew: what was said before is as good as never said.
    expect(names.nameOf('once 3')).toBeUndefined();
    expect(names.nameOf('once 3')).toEqual(expect.any(String));
  });
});
