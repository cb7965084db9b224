import { type SQL, sql } from 'drizzle-orm';

const HEAD = 20;
const REAL_OID = 700;
const INTEGER_OID = 23;
/** Of one element, and how many bytes tell its length. */
const ELEMENT_BYTES = 4;
const PITCH = 4 + ELEMENT_BYTES;

/**
 * An array as the server's own functions read it: dimensions, whether a null is among them, the type of the elements, their number and
 * the number of the first, then each with its length before it. An array of none has no dimension.
 */
function arrayOf(oid: number, length: number): DataView {
  const view = new DataView(new ArrayBuffer(length === 0 ? 12 : HEAD + PITCH * length));
  view.setInt32(0, length === 0 ? 0 : 1);
  view.setInt32(8, oid);
  if (length === 0) return view;
  view.setInt32(12, length);
  view.setInt32(16, 1);
  for (let i = 0; i < length; i += 1) view.setInt32(HEAD + PITCH * i, ELEMENT_BYTES);
  return view;
}

function asParameter(view: DataView): Buffer {
  return Buffer.from(view.buffer);
}

/** Numbers as one parameter, to the bit. As text they take ten times as long, and the sign of a zero is lost. */
export function realArray(values: Float32Array): SQL {
  const view = arrayOf(REAL_OID, values.length);
  for (let i = 0; i < values.length; i += 1) view.setFloat32(HEAD + PITCH * i + 4, values[i]!);
  return sql`${asParameter(view)}::real[]`;
}

/** Whole numbers below 2^31 as one parameter. */
export function integerArray(values: Int32Array | Uint32Array): SQL {
  const view = arrayOf(INTEGER_OID, values.length);
  for (let i = 0; i < values.length; i += 1) view.setInt32(HEAD + PITCH * i + 4, values[i]!);
  return sql`${asParameter(view)}::int[]`;
}
