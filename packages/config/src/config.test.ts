import { delimiter } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONFIGURED_STEPS, ConfigError, readConfig, SETTINGS } from './index.ts';

const ANTHROPIC = {
  SLOWWAVE_MODEL_PROVIDER: 'anthropic',
  SLOWWAVE_MODEL: 'some-model',
  ANTHROPIC_API_KEY: 'not-a-real-key',
};

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

  it('asks nothing in batches unless told to, and only of a provider that has them', () => {
    const batch = { collect: false, minCalls: 100, waitMs: 300_000, deadlineMs: 12 * 3_600_000 };
    expect(readConfig(ANTHROPIC).batch).toEqual(batch);
    expect(
      readConfig({ ...ANTHROPIC, SLOWWAVE_BATCH: 'sleep', SLOWWAVE_BATCH_DEADLINE_HOURS: '2' }).batch,
    ).toEqual({ ...batch, collect: true, deadlineMs: 7_200_000 });
    for (const provider of ['none', 'offline', 'openai']) {
      expect(mistakesOf({ SLOWWAVE_BATCH: 'sleep', SLOWWAVE_MODEL_PROVIDER: provider })).toContain(
        'SLOWWAVE_BATCH: sleep needs SLOWWAVE_MODEL_PROVIDER=anthropic; others have no batches',
      );
    }
  });

  it('believes no proxy unless told which, or how many', () => {
    const told = (SLOWWAVE_TRUST_PROXY?: string) => readConfig({ SLOWWAVE_TRUST_PROXY }).http.trustProxy;
    expect([told(), told('off'), told('2')]).toEqual([false, false, 2]);
    const listed = ['10.0.0.5', '172.18.0.0/16', '2001:db8::/32', '::1', 'uniquelocal'];
    expect(told(listed.join(' , '))).toEqual(listed);
    const wrong = [
      'true',
      '0',
      '11',
      '1.5',
      'proxy.example',
      '10.0.0',
      '10.0.0.256',
      '10.0.0.0/33',
      '::g',
      '10.0.0.1/',
      ',',
    ];
    for (const SLOWWAVE_TRUST_PROXY of wrong) {
      expect([SLOWWAVE_TRUST_PROXY, mistakesOf({ SLOWWAVE_TRUST_PROXY })[0]]).toEqual([
        SLOWWAVE_TRUST_PROXY,
        expect.stringContaining('SLOWWAVE_TRUST_PROXY: expected off, a number'),
      ]);
    }
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

  it('lets connections of a server keep statements unless told otherwise', () => {
    const server = { DATABASE_URL: 'postgres://u:p@db/x' };
    expect(readConfig(server).database).toMatchObject({ kind: 'server', poolSize: 10, prepared: true });
    const told = readConfig({ ...server, SLOWWAVE_DATABASE_PREPARED: 'off' });
    expect(told.database).toMatchObject({ prepared: false });
    expect(mistakesOf({ ...server, SLOWWAVE_DATABASE_PREPARED: 'no' })[0]).toContain(
      'SLOWWAVE_DATABASE_PREPARED',
    );
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

  it('has the form of requests to an openai endpoint, each part with a default', () => {
    const openai = {
      SLOWWAVE_MODEL_PROVIDER: 'openai',
      SLOWWAVE_MODEL: 'm',
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    };
    expect(readConfig(openai).model).toMatchObject({
      maxTokensField: 'max_tokens',
      omitTemperature: false,
      structuredOutput: 'json_schema',
    });
    const set = {
      SLOWWAVE_MODEL_MAX_TOKENS_FIELD: 'max_completion_tokens',
      SLOWWAVE_MODEL_TEMPERATURE: 'omit',
      SLOWWAVE_MODEL_STRUCTURED_OUTPUT: 'none',
    };
    expect(readConfig({ ...openai, ...set }).model).toMatchObject({
      maxTokensField: 'max_completion_tokens',
      omitTemperature: true,
      structuredOutput: 'none',
    });
    expect(mistakesOf({ ...openai, SLOWWAVE_MODEL_TEMPERATURE: '0.5' })).toEqual([
      'SLOWWAVE_MODEL_TEMPERATURE: expected one of send, omit',
    ]);
  });

  it.each(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'SLOWWAVE_OPERATOR_TOKEN'])(
    '%s with a character that no header can carry: is a mistake, told without the value',
    (name) => {
      for (const secret of [
        '\u201c0123456789abcdef\u201d',
        '0123456789\u2022\u2022\u2022\u2022\u2022\u2022',
        '0123456789abcd\u00e9f\u00e9',
      ]) {
        expect(mistakesOf({ [name]: secret })).toEqual([
          `${name}: holds a character that no header can carry, such as a typographic quotation mark or a bullet; copy it again`,
        ]);
      }
      expect(mistakesOf({ [name]: '0123456789abcdef\r' })).toEqual([]);
    },
  );

  it('asks for what a chosen provider needs', () => {
    expect(mistakesOf({ SLOWWAVE_MODEL_PROVIDER: 'anthropic' })).toHaveLength(2);
    expect(mistakesOf({ SLOWWAVE_MODEL_PROVIDER: 'openai', SLOWWAVE_EMBEDDER: 'openai' })).toHaveLength(4);
  });

  it('has a folder, a form and a model for the local embedder, each with a default', () => {
    const model = 'Xenova/paraphrase-multilingual-MiniLM-L12-v2';
    const local = { folder: '.slowwave/models', model, dtype: 'q8' };
    expect(readConfig({}).localModels).toEqual(local);
    const chosen = readConfig({ SLOWWAVE_EMBEDDER: 'local' });
    expect(chosen.embedder).toEqual({ embedder: 'local', timeoutMs: 60_000, ...local });
    const set = {
      SLOWWAVE_EMBEDDER: 'local',
      SLOWWAVE_EMBEDDING_MODEL: 'some.one/a_model-v2',
      SLOWWAVE_EMBEDDING_DIR: '/srv/models',
      SLOWWAVE_EMBEDDING_DTYPE: 'fp32',
      SLOWWAVE_SIMILARITY_THRESHOLD: '0.6',
    };
    expect(readConfig(set).embedder).toMatchObject({
      folder: '/srv/models',
      model: 'some.one/a_model-v2',
      dtype: 'fp32',
      threshold: 0.6,
    });
    expect(readConfig({ SLOWWAVE_DATA_DIR: '/srv/data' }).localModels.folder).toBe('/srv/data/models');
    // The model of an endpoint is none of a folder.
    const endpoint = {
      SLOWWAVE_EMBEDDER: 'openai',
      SLOWWAVE_EMBEDDING_MODEL: 'm',
      OPENAI_BASE_URL: 'http://a',
    };
    expect(readConfig(endpoint).localModels.model).toBe(model);
  });

  it.each(['../../etc', 'a/../b', 'a/b/c', '/etc', 'a b', '-a/b', 'a\\b', 'a/'])(
    'takes no model of the name %s from a folder',
    (name) => {
      expect(mistakesOf({ SLOWWAVE_EMBEDDER: 'local', SLOWWAVE_EMBEDDING_MODEL: name })).toEqual([
        'SLOWWAVE_EMBEDDING_MODEL: expected owner/name of a model when SLOWWAVE_EMBEDDER is local',
      ]);
    },
  );

  it('gives every step its limits, and lets each be set on its own', () => {
    const { steps, ...rest } = readConfig({});
    expect(steps).toEqual({
      fusion: { ms: 300_000, tokens: 100_000, items: 5 },
      summaries: { ms: 300_000, tokens: 200_000, items: 20 },
      conflicts: { ms: 300_000, tokens: 100_000, items: 48 },
      nrem: { ms: 300_000, tokens: 200_000, items: 10 },
      rem: { ms: 300_000, tokens: 100_000, items: 6 },
      reflection: { ms: 300_000, tokens: 50_000, items: 40 },
      insights: { ms: 300_000, tokens: 200_000, items: 10 },
    });
    expect(rest).toMatchObject({
      retentionMs: null,
      journalRetentionMs: 90 * 86_400_000,
      reviewMs: 14 * 86_400_000,
      runRetentionMs: 90 * 86_400_000,
      overdueMs: 900_000,
      quarantineAfter: 5,
    });
    const env: Record<string, string> = { ...ANTHROPIC, SLOWWAVE_RETENTION_DAYS: '30' };
    const units = {
      fusion: 'CLUSTERS',
      summaries: 'SESSIONS',
      conflicts: 'PAIRS',
      nrem: 'CLUSTERS',
      rem: 'SEEDS',
      reflection: 'SESSIONS',
      insights: 'WORKSPACES',
    };
    CONFIGURED_STEPS.forEach((step, i) => {
      const prefix = `SLOWWAVE_${step.toUpperCase()}`;
      env[`${prefix}_MODEL`] = `model-${i}`;
      env[`${prefix}_SECONDS`] = `${i + 1}`;
      env[`${prefix}_TOKENS`] = `${i + 2000}`;
      env[`${prefix}_${units[step]}`] = `${i + 11}`;
    });
    const set = readConfig(env);
    expect(CONFIGURED_STEPS.map((step) => set.steps[step])).toEqual(
      CONFIGURED_STEPS.map((_, i) => ({
        model: `model-${i}`,
        ms: (i + 1) * 1000,
        tokens: i + 2000,
        items: i + 11,
      })),
    );
    expect(set.retentionMs).toBe(30 * 86_400_000);
    expect(readConfig({ SLOWWAVE_JOURNAL_RETENTION_DAYS: '0' }).journalRetentionMs).toBeNull();
  });

  it('refuses a model for a step when nobody would ask it', () => {
    expect(mistakesOf({ SLOWWAVE_REM_MODEL: 'm', SLOWWAVE_NREM_MODEL: 'm' })).toEqual([
      'SLOWWAVE_NREM_MODEL: needs anthropic or openai as SLOWWAVE_MODEL_PROVIDER',
      'SLOWWAVE_REM_MODEL: needs anthropic or openai as SLOWWAVE_MODEL_PROVIDER',
    ]);
    expect(mistakesOf({ SLOWWAVE_MODEL_PROVIDER: 'offline', SLOWWAVE_FUSION_MODEL: 'm' })).toHaveLength(1);
    expect(mistakesOf({ ...ANTHROPIC, SLOWWAVE_FUSION_MODEL: 'm' })).toEqual([]);
    expect(mistakesOf({ SLOWWAVE_REM_MODEL: '  ' })).toEqual([]);
  });

  it('keeps what a step may spend within its bounds', () => {
    expect(
      mistakesOf({
        SLOWWAVE_REM_SEEDS: '25',
        SLOWWAVE_FUSION_TOKENS: '999',
        SLOWWAVE_NREM_SECONDS: '0',
        SLOWWAVE_RETENTION_DAYS: '29',
        SLOWWAVE_QUARANTINE_AFTER: '1',
        SLOWWAVE_OVERDUE_SECONDS: '59',
      }),
    ).toHaveLength(6);
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

describe('folders of workspaces', () => {
  it('are absolute paths, separated as in PATH, and none without the setting', () => {
    expect(readConfig({}).workspaceRoots).toEqual([]);
    const env = { SLOWWAVE_WORKSPACE_ROOTS: ['/srv/a b', '', '/srv/c'].join(delimiter) };
    expect(readConfig(env).workspaceRoots).toEqual(['/srv/a b', '/srv/c']);
    const mistaken = () => readConfig({ SLOWWAVE_WORKSPACE_ROOTS: ['/srv/a', 'secret/b'].join(delimiter) });
    expect(mistaken).toThrow(/SLOWWAVE_WORKSPACE_ROOTS: expected absolute paths/);
    expect(mistaken).not.toThrow(/secret/);
  });
});
