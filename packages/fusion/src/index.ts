export * from './memory.ts';
export * from './ports.ts';
