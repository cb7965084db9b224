export { askUserHealth, readUserHealth, type UserHealth } from './user-health.ts';
