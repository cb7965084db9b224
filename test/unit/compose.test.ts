import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig, SETTINGS, STEP_SETTINGS } from '@slowwave/config';
import { describe, expect, it } from 'vitest';
import { interpolate, mapAt, type Node, nodeAt, readCompose } from './compose-file.ts';
import { ROOT, readText, repositoryFiles } from './repository-files.ts';

const COMPOSE = readText('docker-compose.yml');
const DOCKERFILE = readText('Dockerfile');
const compose = readCompose(COMPOSE);
const settings = new Set<string>(SETTINGS.map(({ name }) => name));

/** Names that belong to an image or to Node.js itself. */
const FOREIGN =
  /^(?:POSTGRES_(?:USER|DB|(?:OWNER_|SERVICE_)?PASSWORD)|REDIS_PASSWORD|REDISCLI_AUTH|TMPDIR|NODE_ENV)$/;

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
  POSTGRES_OWNER_PASSWORD: 'owner4and9digits',
  POSTGRES_SERVICE_PASSWORD: 'service4and9digits',
  REDIS_PASSWORD: 'redis4and9digits',
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
      const login = 'slowwave:service4and9digits';
      expect(config.database).toMatchObject({ url: `postgres://${login}@postgres:5432/slowwave` });
      expect(config.queue).toMatchObject({ kind: 'redis', url: 'redis://:redis4and9digits@redis:6379' });
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
    for (const name of Object.keys(SECRETS)) {
      const others = Object.fromEntries(Object.entries(SECRETS).filter(([other]) => other !== name));
      const all = () =>
        Object.keys(mapAt(compose, 'services')).map((service) => environmentOf(service, others));
      expect(all).toThrow(name);
    }
    expect(() => environmentOf('producer', {})).toThrow('POSTGRES_SERVICE_PASSWORD');
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
    const running = Object.keys(mapAt(compose, 'services')).filter((name) => name !== 'migrate');
    for (const service of running) {
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
      const migrated = nodeAt(compose, 'services', service, 'depends_on', 'migrate', 'condition');
      expect(migrated).toBe('service_completed_successfully');
      const grace = Number(
        nodeAt(compose, 'services', service, 'environment', 'SLOWWAVE_SHUTDOWN_GRACE_SECONDS'),
      );
      expect(seconds(nodeAt(compose, 'services', service, 'stop_grace_period'))).toBeGreaterThan(grace + 5);
    }
  });

  it('never lets Redis evict keys of the queue', () => {
    expect(String(nodeAt(compose, 'services', 'redis', 'command'))).toContain(
      '--maxmemory-policy noeviction',
    );
  });

  it('lets the producer and the workers log in as one who owns nothing, and only the migrations as the owner', () => {
    const owner = environmentOf('migrate', SECRETS);
    expect(owner.DATABASE_URL).toBe('postgres://slowwave_owner:owner4and9digits@postgres:5432/slowwave');
    const init = readText('ops/postgres/init.sh');
    expect(init).toContain('slowwave.owner=slowwave_owner -c');
    expect(init).toContain('slowwave.service=slowwave -c');
    for (const service of ['producer', 'worker']) {
      const given = Object.values(environmentOf(service, SECRETS)).join(' ');
      expect(given).not.toContain(SECRETS.POSTGRES_OWNER_PASSWORD);
      expect(given).not.toContain(SECRETS.POSTGRES_PASSWORD);
    }
  });

  it('keeps exports and restores in a volume, and bounds what stands in memory', () => {
    const spools = environmentOf('producer', SECRETS).TMPDIR;
    expect(nodeAt(compose, 'services', 'producer', 'volumes')).toEqual([`spools:${spools}`]);
    expect(DOCKERFILE).toContain(`RUN install -d -o node -g node -m 0700 ${spools}\n`);
    for (const service of ['producer', 'worker', 'migrate']) {
      expect(String(nodeAt(compose, 'services', service, 'tmpfs'))).toMatch(/^\/tmp:size=\d+m$/);
    }
  });

  it('names exact versions of images, as the image does, for ops/pin-images.sh to pin', () => {
    const images = ['postgres', 'redis'].map((name) => String(nodeAt(compose, 'services', name, 'image')));
    const bases = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]!);
    for (const image of [...images, ...bases])
      expect(image).toMatch(/^[\w./-]+:\d+\.\d+\.\d+(?:-\w+)?(?:@sha256:[0-9a-f]{64})?$/);
    expect(new Set(bases).size).toBe(1);
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

describe('ops/pin-images.sh', () => {
  it('pins each image to the digest of its tag, and again to another one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slowwave pins '));
    try {
      const write = (name: string, text: string) => {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text, { mode: 0o755 });
      };
      for (const name of ['docker-compose.yml', 'Dockerfile', 'ops/pin-images.sh'])
        write(name, readText(name));
      for (const digit of ['a', 'b']) {
        const digest = `sha256:${digit.repeat(64)}`;
        write('bin/docker', `#!/bin/sh\n[ "$1" = pull ] || echo "some/name@${digest}"\n`);
        const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
        execFileSync('sh', [join(folder, 'ops/pin-images.sh')], { env });
        for (const [name, pattern] of [
          ['docker-compose.yml', /(?<=^ *image: (?!slowwave$))\S+/gm],
          ['Dockerfile', /(?<=^FROM )\S+/gm],
        ] as const) {
          const pinned = readFileSync(join(folder, name), 'utf8').match(pattern)!;
          const tags = readText(name)
            .match(pattern)!
            .map((image) => image.replace(/@.*/, ''));
          expect(pinned).toEqual(tags.map((tag) => `${tag}@${digest}`));
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
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
