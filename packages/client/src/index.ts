export type { CallOptions, RawBody } from './call.ts';
export { type Client, createClient } from './client.ts';
export type { Lists, Operations } from './generated/operations.ts';
export type * from './generated/types.ts';
export {
  createMemoryToolHandlers,
  type MemoryToolClient,
  type MemoryToolCommand,
  type MemoryToolHandlers,
  type MemoryToolOptions,
} from './memory-tool.ts';
export { SlowwaveProblem } from './problem.ts';
export type { ClientOptions } from './send.ts';
