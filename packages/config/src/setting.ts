export type SettingKind = 'text' | 'secret' | 'integer' | 'number' | 'choice' | 'url' | 'list' | 'folders';

export interface Setting {
  name: string;
  kind: SettingKind;
  /** Shown as is; absent means "not set". */
  default?: string;
  min?: number;
  max?: number;
  choices?: readonly string[];
  /** For urls: the accepted schemes, without the colon. */
  schemes?: readonly string[];
  minLength?: number;
  /** For numbers: the word `none` is taken too, and is read as null. */
  orNone?: boolean;
  /** One line for people, with the unit where there is one. */
  description: string;
}
