export { forget } from './forget.ts';
export { countForgets, nothingForgotten } from './marks.ts';
export { TEXT_RULES, type TextRule } from './text-rules.ts';
export {
  type DocumentMention,
  type ForgetInput,
  ForgetRefused,
  type ForgetRefusedCode,
  type ForgetResult,
  type ForgetTarget,
  type ForgetWhy,
  type ForgottenMemory,
  type Mentions,
  type Removed,
  type RemovedFromWorkspaces,
} from './types.ts';
