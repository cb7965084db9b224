export { type EditResult, editMemory } from './edit.ts';
export { EditRefused, type EditRefusedCode } from './errors.ts';
export type { EditInput, MemoryEdit } from './input.ts';
