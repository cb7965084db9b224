/** The search for neighbours, for a thread that loads nothing else. */
export { createKernel } from './vectors/create-kernel.ts';
export { createNearest, type Nearest, type NearestResult } from './vectors/nearest.ts';
