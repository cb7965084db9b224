import { nearestName } from './nearest.ts';
import type { Setting } from './setting.ts';
import { SETTINGS, type SettingName } from './settings.ts';

/** As in PATH: a colon, but not the one behind the letter of a drive; a semicolon where drives are. */
const PATH_DELIMITER = /;|(?<!(?:^|[;:])[A-Za-z]):/;
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** All mistakes of an environment at once, each with the expected form. Never carries a value. */
export class ConfigError extends Error {
  readonly code = 'config_invalid';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length} mistake(s):\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/** Null: `none`. */
type Value = string | number | string[] | null | undefined;
export type RawConfig = Record<SettingName, Value>;

const TOTAL: readonly Setting[] = SETTINGS;

function bounds(setting: Setting): string {
  const noun = setting.kind === 'integer' ? 'a whole number' : 'a number';
  return `${noun} from ${setting.min} to ${setting.max}${setting.orNone ? ', or none' : ''}`;
}

function readNumber(setting: Setting, text: string): { value?: number | null; mistake?: string } {
  if (setting.orNone && text === 'none') return { value: null };
  const value = Number(text);
  const wellFormed =
    text !== '' && Number.isFinite(value) && (setting.kind === 'number' || Number.isInteger(value));
  const inside = value >= (setting.min ?? -Infinity) && value <= (setting.max ?? Infinity);
  return wellFormed && inside ? { value } : { mistake: `${setting.name}: expected ${bounds(setting)}` };
}

function readUrl(setting: Setting, text: string): { value?: string; mistake?: string } {
  const schemes = setting.schemes ?? [];
  const expected = `${setting.name}: expected a URL that starts with ${schemes.map((s) => `${s}://`).join(' or ')}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { mistake: expected };
  }
  return schemes.includes(url.protocol.replace(/:$/, '')) ? { value: text } : { mistake: expected };
}

function readOne(setting: Setting, text: string): { value?: Value; mistake?: string } {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return readNumber(setting, text);
    case 'url':
      return readUrl(setting, text);
    case 'choice': {
      const choices = setting.choices ?? [];
      if (choices.includes(text)) return { value: text };
      const near = nearestName(text, choices);
      const hint = near ? ` (did you mean ${near}?)` : '';
      return { mistake: `${setting.name}: expected one of ${choices.join(', ')}${hint}` };
    }
    case 'secret':
      // It travels in a header: what is no printable ASCII was pasted along with it.
      if (!/^[\x20-\x7e]*$/.test(text)) {
        return {
          mistake: `${setting.name}: holds a character that no header can carry, such as a typographic quotation mark or a bullet; copy it again`,
        };
      }
      return text.length >= (setting.minLength ?? 1)
        ? { value: text }
        : { mistake: `${setting.name}: expected at least ${setting.minLength} characters` };
    case 'list':
      return {
        value: text
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      };
    case 'folders': {
      const folders = text.split(PATH_DELIMITER).filter((part) => part !== '');
      return folders.every((folder) => ABSOLUTE.test(folder) && !folder.includes('\0'))
        ? { value: folders }
        : { mistake: `${setting.name}: expected absolute paths, separated by : (on Windows ;)` };
    }
    case 'text':
      return text.includes('\0')
        ? { mistake: `${setting.name}: expected text without NUL` }
        : { value: text };
  }
}

/** Reads every setting and collects mistakes instead of stopping at the first. Empty text counts as not set. */
export function readSettings(env: Environment): { values: RawConfig; mistakes: string[] } {
  const mistakes: string[] = [];
  const values: Partial<Record<string, Value>> = {};
  for (const setting of TOTAL) {
    const text = env[setting.name]?.trim() || setting.default;
    if (text === undefined) continue;
    const { value, mistake } = readOne(setting, text);
    if (mistake) mistakes.push(mistake);
    else values[setting.name] = value;
  }
  const names = TOTAL.map((setting) => setting.name);
  for (const name of Object.keys(env)) {
    if (!name.startsWith('SLOWWAVE_') || names.includes(name) || name.startsWith('SLOWWAVE_TEST_')) continue;
    const near = nearestName(name, names);
    mistakes.push(`${name}: no such setting${near ? ` (did you mean ${near}?)` : ''}`);
  }
  return { values: values as RawConfig, mistakes };
}
