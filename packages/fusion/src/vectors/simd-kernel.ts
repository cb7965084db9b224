import type { Kernel, KernelRows } from './kernel.ts';
import { KERNEL_BYTES } from './kernel-bytes.ts';
import { checkComponents, checkSpan, type Layout, layOut } from './layout.ts';
import { TILE_ROWS, UNREACHED } from './limits.ts';

/** Of WebAssembly, what is used here: the compiler's own types of it belong to browsers. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface KernelExports {
  memory: Memory;
  quantise(from: number, to: number, stride: number): number;
  compare(
    left: number,
    leftCount: number,
    right: number,
    rightCount: number,
    stride: number,
    bounds: number,
    found: number,
  ): number;
}
interface Compiler {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
}
declare const WebAssembly: Compiler | undefined;

const PAGE_BYTES = 65_536;
/** Memory grows by a megabyte at least: growing takes new views, and the old ones are lost. */
const STEP_PAGES = 16;
const PRODUCTS_AT_ONCE = 50_000_000;

/** Compiled once for all kernels: the runtime makes code faster the more often it has run. */
let compiled: object | null | undefined;

/** The kernel on 128-bit vectors, or null where the runtime has no WebAssembly, or none with vectors. */
export function createSimdKernel(): Kernel | null {
  if (typeof WebAssembly === 'undefined') return null;
  compiled ??= compile(WebAssembly);
  if (compiled === null) return null;
  const kernel = new WebAssembly.Instance(compiled).exports as KernelExports;
  let latest: KernelRows | null = null;
  return {
    kind: 'simd',
    productsAtOnce: PRODUCTS_AT_ONCE,
    open: (dimensions, rows) => {
      const layout = layOut(dimensions, rows);
      makeRoom(kernel.memory, layout.end);
      const opened = openRows(kernel, layout, dimensions, rows, () => latest === opened);
      latest = opened;
      return opened;
    },
  };
}

function compile({ validate, Module }: Compiler): object | null {
  const bytes = Uint8Array.from(atob(KERNEL_BYTES), (character) => character.charCodeAt(0));
  return validate(bytes) ? new Module(bytes) : null;
}

function makeRoom(memory: Memory, bytes: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
  if (missing > 0) memory.grow(Math.ceil(missing / STEP_PAGES) * STEP_PAGES);
}

function openRows(
  kernel: KernelExports,
  layout: Layout,
  dimensions: number,
  rows: number,
  isLatest: () => boolean,
): KernelRows {
  const { stride, pitch, stageAt, boundsAt, foundAt, rowsAt } = layout;
  const { buffer } = kernel.memory;
  const stage = new Float32Array(buffer, stageAt, stride / 2);
  // Behind the dimensions it stays zero.
  stage.fill(0);
  // What is read beyond the last row has a bound that nothing reaches, too.
  new Int32Array(buffer, boundsAt, (foundAt - boundsAt) / 4).fill(UNREACHED);
  return {
    bounds: new Int32Array(buffer, boundsAt, rows),
    found: new Int32Array(buffer, foundAt, TILE_ROWS * TILE_ROWS * 3),
    write: (row, vector) => {
      checkSpan(isLatest(), row, 1, rows);
      checkComponents(vector, dimensions);
      stage.set(vector);
      return kernel.quantise(stageAt, rowsAt + row * pitch, stride);
    },
    compare: (left, leftCount, right, rightCount) => {
      checkSpan(isLatest(), left, leftCount, rows);
      checkSpan(true, right, rightCount, rows);
      const [from, to] = [rowsAt + left * pitch, rowsAt + right * pitch];
      return kernel.compare(from, leftCount, to, rightCount, stride, boundsAt + left * 4, foundAt);
    },
  };
}
