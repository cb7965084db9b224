import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCopyReader, readHex } from './vector-bytes.ts';

/** What a server answers: head, rows of a uuid and a vector, tail. */
function copyOf(rows: readonly { id: string; vector: readonly number[] }[]): Buffer {
  const pieces = rows.map(({ id, vector }) => {
    const row = Buffer.alloc(30 + 4 * vector.length);
    row.writeInt16BE(2, 0);
    row.writeInt32BE(16, 2);
    row.write(id.replaceAll('-', ''), 6, 'hex');
    row.writeInt32BE(4 + 4 * vector.length, 22);
    row.writeInt16BE(vector.length, 26);
    for (const [i, component] of vector.entries()) row.writeFloatBE(component, 30 + 4 * i);
    return row;
  });
  const head = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
  return Buffer.concat([head, ...pieces, Buffer.from([0xff, 0xff])]);
}

const float = fc.float({ noNaN: true, noDefaultInfinity: true });
const page = fc
  .array(fc.record({ id: fc.uuid(), vector: fc.array(float, { minLength: 3, maxLength: 3 }) }), {
    maxLength: 8,
  })
  .map((rows) => ({ rows, data: copyOf(rows) }));

describe('a copy of vectors', () => {
  it('is read the same in whatever pieces it arrives, though each is written over', () => {
    fc.assert(
      fc.property(page, fc.array(fc.nat(400), { maxLength: 12 }), ({ rows, data }, cuts) => {
        const reader = createCopyReader(8);
        const ends = [...cuts.filter((cut) => cut < data.length).sort((a, b) => a - b), data.length];
        let from = 0;
        for (const end of ends) {
          const piece = Buffer.from(data.subarray(from, end));
          reader.take(piece);
          piece.fill(0xaa);
          from = end;
        }
        const found = reader.page();
        expect(found.ids).toEqual(rows.map(({ id }) => id));
        expect([...found.vectors]).toEqual(rows.flatMap(({ vector }) => vector));
        expect(found.dimensions).toBe(rows.length === 0 ? 0 : 3);
      }),
    );
  });

  it('is refused when the vectors differ in length', () => {
    const id = '019cfbaa-ca00-710a-b0ce-717590d7ee71';
    const data = copyOf([
      { id, vector: [1, 2] },
      { id, vector: [1, 2, 3] },
    ]);
    expect(() => createCopyReader(2).take(data)).toThrow('differ in their dimensions');
    const hex = (vector: string) => ({ id, hex: `00000000${vector}` });
    expect(() => readHex([hex('3f800000'), hex('3f8000003f800000')])).toThrow('differ in their dimensions');
  });
});
