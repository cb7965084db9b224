import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, SETTINGS } from './index.ts';

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('needs nothing: embedded, no model, offline embedder', () => {
    const config = readConfig({});
    expect(config.database).toEqual({ kind: 'embedded', dataDir: '.slowwave' });
    expect(config.queue).toEqual({ kind: 'embedded' });
    expect(config.model).toEqual({ provider: 'none' });
    expect(config.embedder).toEqual({ embedder: 'offline' });
  });

  it('takes Redis for a server database unless told otherwise', () => {
    const server = { DATABASE_URL: 'postgres://u:p@db/x' };
    expect(readConfig(server).queue).toEqual({
      kind: 'redis',
      url: 'redis://127.0.0.1:6379',
      prefix: 'slowwave',
    });
    expect(readConfig({ ...server, QUEUE_URL: 'postgres://u:p@db/x' }).queue).toMatchObject({
      kind: 'postgres',
    });
  });

  it('reports all mistakes at once, with the expected form and without the values', () => {
    const mistakes = mistakesOf({
      DATABASE_URL: 'mysql://root:hunter2secret@x/y',
      SLOWWAVE_HTTP_PORT: '99999',
      SLOWWAVE_MODEL_PROVIDER: 'antropic',
      SLOWWAVE_OPERATOR_TOKEN: 'short',
      SLOWWAVE_WORKER_CONCURENCY: '3',
    });
    expect(mistakes).toHaveLength(5);
    expect(mistakes.join('\n')).toContain('SLOWWAVE_HTTP_PORT: expected a whole number from 0 to 65535');
    expect(mistakes.join('\n')).toContain('did you mean anthropic?');
    expect(mistakes.join('\n')).toContain('did you mean SLOWWAVE_WORKER_CONCURRENCY?');
    expect(mistakes.join('\n')).not.toContain('hunter2secret');
  });

  it('asks for what a chosen provider needs', () => {
    expect(mistakesOf({ SLOWWAVE_MODEL_PROVIDER: 'anthropic' })).toHaveLength(2);
    expect(mistakesOf({ SLOWWAVE_MODEL_PROVIDER: 'openai', SLOWWAVE_EMBEDDER: 'openai' })).toHaveLength(4);
  });

  it('keeps the embedded service on loopback and its queue in its own database', () => {
    expect(mistakesOf({ SLOWWAVE_HTTP_HOST: '0.0.0.0' })).toHaveLength(1);
    expect(mistakesOf({ SLOWWAVE_HTTP_HOST: '127.example.org' })).toHaveLength(1);
    expect(mistakesOf({ SLOWWAVE_HTTP_HOST: '127.0.0.2' })).toHaveLength(0);
    expect(mistakesOf({ QUEUE_URL: 'redis://127.0.0.1' })).toHaveLength(1);
  });

  it('never throws anything but a ConfigError, whatever the values', () => {
    const names = SETTINGS.map((setting) => setting.name);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.string()), (env) => {
        mistakesOf(env);
      }),
    );
  });

  it('gives every number a range and every setting a description', () => {
    for (const setting of SETTINGS) {
      expect(setting.description.length).toBeGreaterThan(10);
      if (setting.kind === 'integer' || setting.kind === 'number') {
        expect(setting).toHaveProperty('min');
        expect(setting).toHaveProperty('max');
      }
    }
  });
});
