import { DatabaseError } from '../errors.ts';

/** Vectors of one length, one after another, and whose they are. */
export interface VectorPage {
  /** n memories, in the order of their ids. */
  ids: string[];
  /** d; 0 for no vectors. */
  dimensions: number;
  /** n × d components, to the bit what is stored. */
  vectors: Float32Array;
}

/** A vector on the wire: its dimensions as two bytes, two bytes of nothing, then its components. The network has the high byte first. */
const VECTOR_HEAD = 4;
const COMPONENT = 4;
const HOST_IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** A copy begins with its signature, flags and a length; each row with the number of its columns, each column with its length; at the end stand two bytes. */
const COPY_HEAD = 19;
const UUID_AT = 2 + 4;
const UUID_BYTES = 16;
const VECTOR_AT = UUID_AT + UUID_BYTES + 4;
const COMPONENTS_AT = VECTOR_AT + VECTOR_HEAD;

export const NO_VECTORS: VectorPage = { ids: [], dimensions: 0, vectors: new Float32Array(0) };

function requireLength(found: number, dimensions: number): void {
  if (found !== dimensions)
    throw new DatabaseError('wrong_dimensions', 'vectors of one model differ in their dimensions');
}

/** Vectors as they come, each put at once where it stays; they become numbers of this machine at the end. */
function createVectors(most: number, dimensions: number) {
  const vectors = new Float32Array(most * dimensions);
  const bytes = Buffer.from(vectors.buffer);
  return {
    bytes,
    /** The first so many. A page of which there is little does not hold on to the room of a full one. */
    finish(count: number): Float32Array {
      const used = count * dimensions * COMPONENT;
      if (HOST_IS_LITTLE) bytes.subarray(0, used).swap32();
      const components = count * dimensions;
      return 2 * count < most ? vectors.slice(0, components) : vectors.subarray(0, components);
    },
  };
}

/**
 * Reads the answer of a binary copy of rows (uuid, vector) as it arrives.
 * @param most rows
 */
export function createCopyReader(most: number) {
  const ids: string[] = [];
  let vectors: ReturnType<typeof createVectors> | null = null;
  let dimensions = 0;
  let ahead = COPY_HEAD;
  /** The beginning of a row whose end has not come yet. */
  let rest = Buffer.alloc(0);

  function takeRow(data: Buffer, row: number): number {
    const found = data.readUInt16BE(row + VECTOR_AT);
    if (!vectors) {
      dimensions = found;
      vectors = createVectors(most, dimensions);
    }
    requireLength(found, dimensions);
    const end = row + COMPONENTS_AT + COMPONENT * dimensions;
    if (end > data.length) return row;
    data.copy(vectors.bytes, ids.length * COMPONENT * dimensions, row + COMPONENTS_AT, end);
    ids.push(uuidText(data.toString('hex', row + UUID_AT, row + UUID_AT + UUID_BYTES)));
    return end;
  }

  return {
    /** @throws DatabaseError `wrong_dimensions` when the vectors differ in length */
    take(piece: Buffer): void {
      const data = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
      let at = Math.min(ahead, data.length);
      ahead -= at;
      while (ahead === 0 && at + COMPONENTS_AT <= data.length) {
        const end = takeRow(data, at);
        if (end === at) break;
        at = end;
      }
      // A copy: what was handed out is written over.
      rest = Buffer.from(data.subarray(at));
    },
    page(): VectorPage {
      return vectors ? { ids, dimensions, vectors: vectors.finish(ids.length) } : NO_VECTORS;
    },
  };
}

function uuidText(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Reads vectors that came as hexadecimal text. @throws DatabaseError `wrong_dimensions` when the vectors differ in length */
export function readHex(rows: readonly { id: string; hex: string }[]): VectorPage {
  if (rows.length === 0) return NO_VECTORS;
  const pitch = rows[0]!.hex.length / 2 - VECTOR_HEAD;
  const dimensions = pitch / COMPONENT;
  const { bytes, finish } = createVectors(rows.length, dimensions);
  for (const [i, { hex }] of rows.entries()) {
    requireLength(hex.length / 2 - VECTOR_HEAD, pitch);
    bytes.write(hex.slice(2 * VECTOR_HEAD), i * pitch, 'hex');
  }
  return { ids: rows.map(({ id }) => id), dimensions, vectors: finish(rows.length) };
}
