/** Asks a server who it is, before any test relies on it. */
import { createRequire } from 'node:module';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

const PROBE_MS = 5_000;

/** The driver that packages/db declares: the one that the tests use too. */
function postgresDriver() {
  const requireFromDb = createRequire(new URL('../../packages/db/package.json', import.meta.url));
  try {
    return requireFromDb('pg');
  } catch (cause) {
    throw new Error('The dependencies are not installed: run npm ci first.', { cause });
  }
}

/**
 * Connects, and creates the vector extension in a transaction that is rolled back: only that proves that it is there and
 * that this user may create it.
 * @returns {Promise<string>} such as "PostgreSQL 16.4, pgvector 0.8.0, 128MB of shared buffers"
 */
export async function probePostgres(url) {
  const { Client } = postgresDriver();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: PROBE_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('server_version') as version, current_setting('shared_buffers') as buffers",
    );
    const version = rows[0].version.split(' ')[0];
    const available = await client.query(
      "select default_version from pg_available_extensions where name = 'vector'",
    );
    if (available.rows.length === 0) {
      throw new Error(`PostgreSQL ${version} answers, but pgvector is not installed on that server`);
    }
    await client.query('begin');
    try {
      await client.query('create extension if not exists vector');
    } catch (cause) {
      throw new Error(
        `PostgreSQL ${version} answers, but its user may not run "create extension vector": ${cause.message}`,
        { cause },
      );
    }
    await client.query('rollback');
    return `PostgreSQL ${version}, pgvector ${available.rows[0].default_version}, ${rows[0].buffers} of shared buffers`;
  } finally {
    await client.end().catch(() => {});
  }
}

const bulk = (...parts) =>
  `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;

/**
 * Logs in when the address says so, and reads the version. Speaks the protocol itself: three commands need no driver.
 * @returns {Promise<string>} such as "Redis 7.0.15" or "Valkey 8.0.1"
 */
export function probeRedis(url) {
  const { hostname, port, username, password, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: Number(port || 6379) };
  return new Promise((resolve, reject) => {
    const socket = protocol === 'rediss:' ? connectTls({ ...target, servername: host }) : connectTcp(target);
    let answer = '';
    const fail = (error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(PROBE_MS, () => fail(new Error(`no answer within ${PROBE_MS / 1000} s`)));
    socket.on('error', fail);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on(protocol === 'rediss:' ? 'secureConnect' : 'connect', () => {
      if (password) {
        const secret = decodeURIComponent(password);
        socket.write(username ? bulk('AUTH', decodeURIComponent(username), secret) : bulk('AUTH', secret));
      }
      socket.write(bulk('INFO', 'server'));
    });
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
      const problem = /^-(.*)\r\n/m.exec(answer);
      if (problem) return fail(new Error(problem[1]));
      const found =
        /^valkey_version:(\S+)/m.exec(answer) ?? /^redis_version:(\S+)\r\n[\s\S]*\r\n$/m.exec(answer);
      if (!found) return undefined;
      socket.destroy();
      return resolve(`${found[0].startsWith('valkey') ? 'Valkey' : 'Redis'} ${found[1]}`);
    });
  });
}
