export * from './config.ts';
export { nearestName } from './nearest.ts';
export { ConfigError, type Environment } from './read.ts';
export { SETTINGS, type Setting, type SettingName } from './settings.ts';
