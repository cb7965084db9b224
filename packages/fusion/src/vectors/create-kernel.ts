import type { Kernel } from './kernel.ts';
import { createPlainKernel } from './plain-kernel.ts';
import { createSimdKernel } from './simd-kernel.ts';

/** The fastest kernel that this runtime can run. It keeps its memory until it is collected, and is for one thread. */
export function createKernel(): Kernel {
  return createSimdKernel() ?? createPlainKernel();
}
