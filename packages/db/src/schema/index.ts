export * from './answers.ts';
export { slowwave } from './column-types.ts';
export * from './conflicts.ts';
export * from './conversations.ts';
export * from './ledger.ts';
export * from './memories.ts';
export * from './plans.ts';
export * from './signals.ts';
export * from './users.ts';
