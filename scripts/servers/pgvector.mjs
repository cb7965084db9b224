/**
 * Builds pgvector for a Debian release that does not package it, from the source package of the following release. The
 * machine's own package sources stay as they are: lists, cache and sources of this step live in a folder that goes away.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines, run } from './process.mjs';

const NEXT_SUITE = { bookworm: 'trixie' };
const DEB822 = '/etc/apt/sources.list.d/debian.sources';
const ONE_LINE = '/etc/apt/sources.list';

/** The machine's first stanza, asking for the sources of another suite from the same mirror. */
export function nextSuiteSources(text, suite) {
  const [first = ''] = text.trim().split(/\n\s*\n/);
  const lines = first.split('\n').filter((line) => !line.startsWith('#'));
  return `${lines
    .map((line) => line.replace(/^Types:.*/, 'Types: deb-src').replace(/^Suites:.*/, `Suites: ${suite}`))
    .join('\n')}\n`;
}

/** The same for the older one-line format. */
export function nextSuiteLine(text, codename, suite) {
  const line = text.split('\n').find((entry) => new RegExp(`^deb\\s.*\\s${codename}\\s`).test(entry));
  return line ? `${line.replace(/^deb\s/, 'deb-src ').replace(` ${codename} `, ` ${suite} `)}\n` : null;
}

function writeSources(folder, codename, suite) {
  if (existsSync(DEB822)) {
    const path = join(folder, 'next.sources');
    writeFileSync(path, nextSuiteSources(readFileSync(DEB822, 'utf8'), suite));
    return path;
  }
  const line = existsSync(ONE_LINE) ? nextSuiteLine(readFileSync(ONE_LINE, 'utf8'), codename, suite) : null;
  if (!line)
    throw new Error(`No package source of Debian ${codename} was found to take pgvector's source from.`);
  const path = join(folder, 'next.list');
  writeFileSync(path, line);
  return path;
}

async function step(what, command, args, options) {
  const done = await run(command, args, { timeoutMs: 10 * 60_000, ...options });
  if (done.code !== 0) throw new Error(`${what} failed:\n${lastLines(done)}`);
}

/** @param {{major: number, release: Record<string, string>}} target the PostgreSQL and the Debian to build for */
export async function buildVector({ major, release, say, signal }) {
  const codename = release.VERSION_CODENAME ?? '';
  const suite = NEXT_SUITE[codename];
  if (!suite) throw new Error(`pgvector for PostgreSQL ${major} is not packaged for ${release.PRETTY_NAME}.`);
  const folder = mkdtempSync(join(tmpdir(), 'slowwave-pgvector-'));
  try {
    say(`building pgvector for PostgreSQL ${major} from the source package of Debian ${suite}`);
    for (const name of ['lists/partial', 'cache/archives/partial', 'parts'])
      mkdirSync(join(folder, name), { recursive: true });
    const options = {
      'Dir::Etc::SourceList': writeSources(folder, codename, suite),
      'Dir::Etc::SourceParts': join(folder, 'parts'),
      'Dir::State::Lists': join(folder, 'lists'),
      'Dir::Cache': join(folder, 'cache'),
      'Acquire::Retries': '3',
      // The folder belongs to root alone.
      'APT::Sandbox::User': 'root',
    };
    const args = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const where = {
      cwd: folder,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      signal,
    };
    await step('Reading the package lists', 'apt-get', ['-q', ...args, 'update'], where);
    await step('Fetching the source of pgvector', 'apt-get', ['-q', ...args, 'source', 'pgvector'], where);
    const source = readdirSync(folder, { withFileTypes: true }).find(
      (entry) => entry.isDirectory() && entry.name.startsWith('pgvector-'),
    );
    if (!source) throw new Error('The source package of pgvector did not unpack.');
    const make = [`PG_CONFIG=/usr/lib/postgresql/${major}/bin/pg_config`, 'OPTFLAGS='];
    const build = { ...where, cwd: join(folder, source.name) };
    await step('Building pgvector', 'make', ['-j2', ...make], build);
    await step('Installing pgvector', 'make', ['install', ...make], build);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
