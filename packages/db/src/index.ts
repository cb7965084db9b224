export * from './database.ts';
export * from './errors.ts';
export { type FolderLock, type FolderOwner, folderOwner } from './folder-lock.ts';
export * from './fusions/index.ts';
export * from './ids.ts';
export * from './memories/index.ts';
export { migrate, migrationsFolder, readMigrations } from './migrate.ts';
export { type EmbeddedDatabase, openEmbedded } from './open-embedded.ts';
export { openServer, type ServerOptions } from './open-server.ts';
