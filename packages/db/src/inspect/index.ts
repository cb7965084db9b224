export { type LoginRights, loginRights, missingRoles, unguardedTables } from './access-facts.ts';
export { type EvaluatedMemory, listEvaluated } from './evaluated.ts';
export { readEvaluation, type StoredEvaluation, storeEvaluation } from './evaluations.ts';
export { type MigrationState, readMigrationState } from './migration-state.ts';
export { listEmbeddingModels, type ServerFacts, serverFacts } from './server-facts.ts';
