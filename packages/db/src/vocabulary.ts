/**
 * What a command line has to know before a command runs, and what it has to recognise after one: words, bounds and errors. Loads
 * neither the schema nor a driver, so that help comes at once.
 */
export { ConflictRefused } from './conflicts/errors.ts';
export { DatabaseError } from './errors.ts';
export { ForgetRefused } from './forgetting/types.ts';
export { parseIsoDate } from './import/dates.ts';
export { ImportError } from './import/errors.ts';
export { DEFAULT_IMPORT_LIMITS } from './import/limits.ts';
export { InputError } from './input-error.ts';
export { MemoryRefused } from './memories/refused.ts';
export * from './words.ts';
