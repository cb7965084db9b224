export { slowwave } from './column-types.ts';
export * from './ledger.ts';
export * from './memories.ts';
export * from './users.ts';
