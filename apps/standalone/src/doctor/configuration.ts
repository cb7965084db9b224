import { type Config, ConfigError, type Environment, readConfig } from '@slowwave/config';
import { type Check, fail, ok } from './check.ts';

/** What the environment says, as far as it can be used. */
export interface ReadConfiguration {
  /** Null when not even the settings that are right make a configuration. */
  config: Config | null;
  /** Every mistake, each beginning with the name of its setting. */
  mistakes: readonly string[];
  /** The settings that are wrong. */
  wrong: ReadonlySet<string>;
}

function attempt(environment: Environment): { config: Config | null; mistakes: readonly string[] } {
  try {
    return { config: readConfig(environment), mistakes: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: null, mistakes: error.mistakes };
  }
}

const namesIn = (mistakes: readonly string[]): string[] =>
  mistakes.map((mistake) => /^[A-Z][A-Z0-9_]*/.exec(mistake)?.[0] ?? '').filter((name) => name !== '');

/** Reads the configuration; where some settings are wrong, what the others say is looked at all the same. */
export function readAsFarAsPossible(environment: Environment): ReadConfiguration {
  const whole = attempt(environment);
  const wrong = new Set(namesIn(whole.mistakes));
  if (whole.config) return { ...whole, wrong };
  const without = (names: ReadonlySet<string>): Environment =>
    Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
  const rest = attempt(without(wrong));
  // A model that lacks a setting is left out as a whole: everything else does not need it.
  const models = ['SLOWWAVE_MODEL_PROVIDER', 'SLOWWAVE_EMBEDDER'];
  const config = rest.config ?? attempt(without(new Set([...wrong, ...models]))).config;
  return { config, mistakes: whole.mistakes, wrong };
}

export function configurationCheck({ mistakes }: ReadConfiguration): Check {
  return {
    name: 'configuration',
    async look() {
      if (mistakes.length === 0) return ok('every setting can be read');
      const what = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
      return fail(
        `${what}: ${mistakes.join('; ')}`,
        'correct these settings; docs/how-to/deploy.md says where they stand',
      );
    },
  };
}
