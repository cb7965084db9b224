export { readUserHealth, type UserHealth } from './user-health.ts';
