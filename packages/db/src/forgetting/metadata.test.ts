import { describe, expect, it } from 'vitest';
import { withoutNames } from './metadata.ts';

describe('metadata without the names of what is forgotten', () => {
  const names = new Set(['a', 'b']);

  it('loses them wherever they stand, and nothing else', () => {
    const metadata = {
      sourceIds: ['a', 'c', 'b'],
      editedFrom: { fusion: 'a', sources: ['b'] },
      note: 'a and b',
      deep: [{ id: 'a' }, ['b'], 1, null, true],
    };
    expect(withoutNames(metadata, names)).toEqual({
      sourceIds: ['c'],
      editedFrom: { sources: [] },
      note: 'a and b',
      deep: [{}, [], 1, null, true],
    });
  });

  it('stays as it is without any', () => {
    const metadata = { x: ['c'], y: { z: null } };
    expect(withoutNames(metadata, names)).toEqual(metadata);
    expect(withoutNames(null, names)).toBeNull();
  });
});
