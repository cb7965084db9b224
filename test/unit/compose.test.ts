import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, SETTINGS, STEP_SETTINGS } from '@slowwave/config';
import { describe, expect, it } from 'vitest';
import { interpolate, mapAt, type Node, nodeAt, readCompose } from './compose-file.ts';
import { ROOT, readText, repositoryFiles } from './repository-files.ts';

const COMPOSE = readText('docker-compose.yml');
const DOCKERFILE = readText('Dockerfile');
const compose = readCompose(COMPOSE);
const settings = new Set<string>(SETTINGS.map(({ name }) => name));

/** Names that belong to an image or to Node.js itself. */
const FOREIGN = /^(?:POSTGRES_(?:USER|DB|PASSWORD)|NODE_ENV)$/;

/** What only the producer tells apart: who waits too long. */
const PRODUCER_ONLY: string[] = ['SLOWWAVE_OVERDUE_SECONDS'];

/** Every environment name that a text mentions, in whatever way; YAML comments count as mentions too. */
function namesIn(text: string): string[] {
  const patterns = [
    /^\s*(?:-\s+)?([A-Z][A-Z0-9_]*)\s*[:=]/gm,
    /\$\{([A-Z][A-Z0-9_]*)/g,
    /process\.env\.([A-Z][A-Z0-9_]*)/g,
    /^\s*(?:ENV|ARG)\s+([A-Z][A-Z0-9_]*)/gm,
    /\b((?:SLOWWAVE|ANTHROPIC|OPENAI|POSTGRES)_[A-Z0-9_]+)/g,
  ];
  return [
    ...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))),
  ];
}

const strangers = (text: string): string[] =>
  namesIn(text).filter((name) => !settings.has(name) && !FOREIGN.test(name));

const SECRETS = {
  POSTGRES_PASSWORD: 'letters4and9digits',
  SLOWWAVE_OPERATOR_TOKEN: 'sixteen-characters-or-more',
};

function environmentOf(service: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(mapAt(compose, 'services', service, 'environment'));
  return Object.fromEntries(entries.map(([name, value]) => [name, interpolate(String(value), env)]));
}

const seconds = (node: Node): number => Number(/^(\d+)s$/.exec(String(node))?.[1]);

describe('environment names', () => {
  it('in docker-compose.yml and Dockerfile are ones the code reads', () => {
    expect(namesIn(COMPOSE).length).toBeGreaterThan(10);
    expect(strangers(COMPOSE)).toEqual([]);
    expect(strangers(DOCKERFILE)).toEqual([]);
  });

  it('are checked wherever they stand', () => {
    const planted = [
      '      SLOWWAVE_WORKER_CONCURENCY: "4"',
      `      DATABASE_URL: x\${PGPASS:-y}`,
      '    - REDIS_HOST=redis',
      'ENV SLOW_MODE=1',
      "  - fetch('http://x:' + process.env.HEALTH_PORT)",
      '# see SLOWWAVE_QUEUE_LIMIT',
    ];
    expect(planted.map((line) => strangers(line).length)).toEqual(planted.map(() => 1));
  });
});

describe('docker-compose.yml', () => {
  it('gives the producer and the worker a configuration that they accept', () => {
    for (const service of ['producer', 'worker']) {
      const config = readConfig(environmentOf(service, SECRETS));
      expect(config.database).toMatchObject({ kind: 'server' });
      expect(config.queue).toMatchObject({ kind: 'redis', url: 'redis://redis:6379' });
    }
    const anthropic = {
      SLOWWAVE_MODEL_PROVIDER: 'anthropic',
      SLOWWAVE_MODEL: 'some-model',
      ANTHROPIC_API_KEY: 'not-a-real-key',
    };
    expect(readConfig(environmentOf('worker', { ...SECRETS, ...anthropic })).model.provider).toBe(
      'anthropic',
    );
    expect(readConfig(environmentOf('producer', SECRETS)).http.operatorToken).toBe(
      SECRETS.SLOWWAVE_OPERATOR_TOKEN,
    );
  });

  it('hands every limit and model of a step on to the worker', () => {
    const expected = STEP_SETTINGS.map(({ name }) => name).filter((name) => !PRODUCER_ONLY.includes(name));
    expect(Object.keys(environmentOf('worker', SECRETS))).toEqual(expect.arrayContaining(expected));
    expect(Object.keys(environmentOf('producer', SECRETS))).toEqual(expect.arrayContaining(PRODUCER_ONLY));
    const set = { SLOWWAVE_REM_SEEDS: '3', SLOWWAVE_RETENTION_DAYS: '365' };
    const config = readConfig(environmentOf('worker', { ...SECRETS, ...set }));
    expect(config.steps.rem.items).toBe(3);
    expect(config.retentionMs).toBe(365 * 86_400_000);
  });

  it('holds no secret and asks for those it needs by name', () => {
    expect(() => environmentOf('postgres', {})).toThrow('POSTGRES_PASSWORD');
    expect(() => environmentOf('producer', { POSTGRES_PASSWORD: 'x' })).toThrow('SLOWWAVE_OPERATOR_TOKEN');
    const secrets = SETTINGS.filter(({ kind }) => kind === 'secret').map(({ name }): string => name);
    for (const line of COMPOSE.split('\n')) {
      const [, name, value] = /^\s+(\w+):\s+(.*)$/.exec(line) ?? [];
      if (name && (secrets.includes(name) || name.endsWith('PASSWORD')))
        expect(value).toMatch(/^\$\{\w+:[-?]/);
    }
  });

  it('keeps keys of model providers away from the producer, and the operator token away from the workers', () => {
    expect(
      Object.keys(environmentOf('producer', SECRETS)).filter((name) => name.endsWith('API_KEY')),
    ).toEqual([]);
    expect(environmentOf('worker', SECRETS)).not.toHaveProperty('SLOWWAVE_OPERATOR_TOKEN');
  });

  it('checks the health of every service, at the ports that the processes listen on', () => {
    for (const service of Object.keys(mapAt(compose, 'services'))) {
      expect(nodeAt(compose, 'services', service, 'healthcheck', 'test')).not.toEqual('');
    }
    const port = (service: string, name: string) => nodeAt(compose, 'services', service, 'environment', name);
    const probe = (service: string) => String(nodeAt(compose, 'services', service, 'healthcheck', 'test'));
    const http = port('producer', 'SLOWWAVE_HTTP_PORT');
    expect(probe('producer')).toContain(`http://127.0.0.1:${http}/health/live`);
    expect(String(nodeAt(compose, 'services', 'producer', 'ports'))).toContain(`:${http}`);
    const health = port('worker', 'SLOWWAVE_WORKER_HEALTH_PORT');
    expect(probe('worker')).toContain(`http://127.0.0.1:${health}/health/live`);
  });

  it('publishes nothing but the producer, and that on loopback', () => {
    const services = mapAt(compose, 'services');
    expect(Object.keys(services).filter((name) => mapAt(services, name).ports)).toEqual(['producer']);
    expect(String(nodeAt(compose, 'services', 'producer', 'ports'))).toMatch(/^127\.0\.0\.1:/);
  });

  it('starts the processes after their servers and gives them longer to stop than they take', () => {
    for (const service of ['producer', 'worker']) {
      for (const server of ['postgres', 'redis']) {
        const condition = nodeAt(compose, 'services', service, 'depends_on', server, 'condition');
        expect(condition).toBe('service_healthy');
      }
      const grace = Number(
        nodeAt(compose, 'services', service, 'environment', 'SLOWWAVE_SHUTDOWN_GRACE_SECONDS'),
      );
      expect(seconds(nodeAt(compose, 'services', service, 'stop_grace_period'))).toBeGreaterThan(grace + 5);
    }
  });

  it('never lets Redis evict keys of the queue', () => {
    expect(String(nodeAt(compose, 'services', 'redis', 'command'))).toContain(
      '--maxmemory-policy,noeviction',
    );
  });

  it('and the image start files that are built', () => {
    const commands = ['producer', 'worker'].map((name) => nodeAt(compose, 'services', name, 'command'));
    const fallback = JSON.parse(/^CMD (.*)$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[];
    for (const command of [...commands, fallback]) {
      const entry = String((command as string[])[1]);
      expect(entry).toMatch(/^apps\/\w+\/dist\/main\.js$/);
      expect(existsSync(join(ROOT, entry.replace('/dist/', '/src/').replace(/\.js$/, '.ts')))).toBe(true);
    }
  });
});

describe('the image', () => {
  it('runs without root and takes only folders that exist', () => {
    expect(DOCKERFILE).toMatch(/^USER node$/m);
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(
      (match) => match[1]?.split(' ') ?? [],
    );
    expect(copied.length).toBeGreaterThan(4);
    const files = repositoryFiles();
    const kept = readText('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    for (const path of copied) {
      expect(
        files.some((file) => file === path || file.startsWith(`${path}/`)),
        path,
      ).toBe(true);
      expect(kept, path).toContain(`!${path}`);
    }
  });
});

describe('the reader of docker-compose.yml', () => {
  it('reads maps, merges, lists and quoted texts, and refuses the rest', () => {
    const text =
      'x-a: &a\n  k: v\n  l: "1"\nb:\n  <<: *a\n  l: 2\n  list:\n    - x\n    - "y"\n  flow: ["p", "q"]\n';
    expect(readCompose(text).b).toEqual({ k: 'v', l: '2', list: ['x', 'y'], flow: ['p', 'q'] });
    expect(() => readCompose('a: 1\n  b: 2\n')).toThrow('line 2');
    expect(() => readCompose('a: |\n  text\n')).toThrow('line 2');
  });
});
