export * from './budgets.ts';
export * from './config.ts';
export { nearestName } from './nearest.ts';
export type { ModelPrice } from './operating.ts';
export { ConfigError, type Environment } from './read.ts';
export type { Setting, SettingKind } from './setting.ts';
export { SETTINGS, type SettingName } from './settings.ts';
export { STEP_SETTINGS } from './step-settings.ts';
export { CONFIGURED_STEPS, type ConfiguredStep, type StepConfig } from './steps.ts';
