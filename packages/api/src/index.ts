export { refusalsOf, takesKey } from './codes.ts';
export * from './fields.ts';
export { openApiDocument } from './openapi.ts';
export * from './route.ts';
export * from './routes/index.ts';
