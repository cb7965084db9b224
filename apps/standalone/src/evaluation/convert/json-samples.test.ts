import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonSample, readSamples } from './json-samples.ts';

async function read(text: string | Uint8Array, pieces = 7, maxBytes?: number): Promise<JsonSample[]> {
  const bytes = Buffer.from(text);
  function* chunks() {
    for (let at = 0; at < bytes.length; at += pieces) yield bytes.subarray(at, at + pieces);
  }
  const found: JsonSample[] = [];
  for await (const sample of readSamples(chunks(), 'set.json', maxBytes)) found.push(sample);
  return found;
}

describe('readSamples', () => {
  it('gives the objects of a list, whatever its layout and wherever the stream is cut', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        objects,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 2),
        async (values, pieces, indent) => {
          const text = JSON.stringify(values, null, indent);
          const found = await read(text, pieces);
          expect(found.map(({ value }) => value)).toEqual(JSON.parse(text));
          expect(found.map(({ number }) => number)).toEqual(values.map((_, at) => at + 1));
        },
      ),
    );
  });

  it('also reads one object, several on lines, and a mark of the byte order', async () => {
    expect(await read('{"a":"}{"}')).toEqual([{ number: 1, value: { a: '}{' } }]);
    expect(await read('{"a":1}\n{"a":2}\n')).toMatchObject([{ value: { a: 1 } }, { value: { a: 2 } }]);
    expect(await read('\ufeff[{"a":"ü\\"]"}]')).toEqual([{ number: 1, value: { a: 'ü"]' } }]);
    expect(await read(' [ ] ')).toEqual([]);
  });

  it('goes on after an object that is not JSON or not UTF-8', async () => {
    expect(await read('[{"a":NaN},{"a":1}]')).toEqual([
      { number: 1, value: undefined },
      { number: 2, value: { a: 1 } },
    ]);
    const broken = Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xff]), Buffer.from('"},{}]')]);
    expect(await read(broken)).toEqual([
      { number: 1, value: undefined },
      { number: 2, value: {} },
    ]);
  });

  it.each([
    ['', 'give the unpacked .json file'],
    ['PK\u0003\u0004', 'give the unpacked .json file'],
    ['version https://git-lfs', 'give the unpacked .json file'],
    ['[1, 2]', 'give the unpacked .json file'],
    ['[[{}]]', 'give the unpacked .json file'],
    ['[{"a":1}', 'ends after sample 1'],
    ['[{"a":1},{"a"', 'ends after sample 2'],
    ['[{}] x', 'follows sample 1'],
    ['[{}, 7]', 'follows sample 1'],
    ['[{}, {"a":"0123456789"}]', 'sample 2 of set.json is larger than'],
  ])('refuses %j', async (text, message) => {
    await expect(read(text, 5, 15)).rejects.toThrow(message);
  });

  it('reads no further than the sample that it gives', async () => {
    let chunksRead = 0;
    function* chunks() {
      yield Buffer.from('[');
      for (;;) {
        chunksRead += 1;
        yield Buffer.from(`{"a":${chunksRead}},`);
      }
    }
    for await (const { number } of readSamples(chunks(), 'set.json')) {
      expect(chunksRead).toBe(number);
      if (number === 50) break;
    }
    expect(chunksRead).toBe(50);
  });
});
