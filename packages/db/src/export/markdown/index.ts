export { createMarkdownExport, type MarkdownExport } from './write.ts';
