export { ExportError } from './errors.ts';
export { type ExportCounts, type ExportOptions, exportLines } from './export.ts';
export { EXPORT_VERSION } from './header.ts';
export { createMarkdownExport, type MarkdownExport } from './markdown/index.ts';
