export * from './fields.ts';
export * from './route.ts';
export * from './routes/index.ts';
