import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type QmdExecutor, QmdFailure, runQmd } from '../../packages/workspace/src/qmd/executor.ts';

/** How the executable behaves on `search`; stubborn ignores SIGTERM and outlives its deadline. */
export type FakeMode = 'works' | 'empty' | 'exit' | 'garbage' | 'hang' | 'stubborn' | { answer: unknown };

export interface FakeCall {
  args: string[];
  indexPath: string | null;
  configDir: string | null;
  pid: number;
}

export interface FakeQmd {
  /** The folder with the executable, for PATH. */
  folder: string;
  command: string;
  executor: QmdExecutor;
  /** The same without a process of its own, for tests of what is found. */
  executorHere: QmdExecutor;
  set(mode: FakeMode): Promise<void>;
  calls(): Promise<FakeCall[]>;
  close(): Promise<void>;
}

/** A qmd of the version 2 kind: one row per document, a header line in the snippet, names in lower case, options before `--`. */
const PROGRAM = String.raw`
const fs = require('node:fs'), path = require('node:path');
const here = __dirname, args = process.argv.slice(2);
const { INDEX_PATH = null, QMD_CONFIG_DIR = null } = process.env;
fs.appendFileSync(path.join(here, 'calls'), JSON.stringify({ args, indexPath: INDEX_PATH, configDir: QMD_CONFIG_DIR, pid: process.pid }) + '\n');
const mode = JSON.parse(fs.readFileSync(path.join(here, 'mode.json'), 'utf8'));
const fail = (text) => { process.stderr.write(text + '\n'); process.exit(1); };
const config = QMD_CONFIG_DIR && path.join(QMD_CONFIG_DIR, 'index.json');
const load = (file) => { try { return JSON.parse(fs.readFileSync(file, 'utf8')); } catch { return {}; } };
function index() {
  const all = {};
  for (const [name, dir] of Object.entries(load(config))) {
    all[name] = {};
    for (const file of fs.readdirSync(dir).filter((f) => f.endsWith('.md'))) {
      try { all[name][file.toLowerCase()] = fs.readFileSync(path.join(dir, file), 'utf8'); } catch {}
    }
  }
  fs.writeFileSync(INDEX_PATH, JSON.stringify(all));
}
function search() {
  if (mode === 'exit') fail('Collection not found: x');
  if (mode === 'garbage') return process.stdout.write('<html>');
  if (mode === 'empty') return process.stdout.write('[]');
  if (mode === 'stubborn') process.on('SIGTERM', () => {});
  if (mode === 'hang' || mode === 'stubborn') return setInterval(() => {}, 1000);
  if (mode.answer !== undefined) return process.stdout.write(JSON.stringify(mode.answer));
  let limit = 5, name = null, words = [];
  for (let i = 1; i < args.length; i++) {
    if (args[i] === '--') { words = args.slice(i + 1); break; }
    if (args[i] === '--json') continue;
    if (args[i] === '-n') limit = Number(args[++i]);
    else if (args[i] === '--collection') name = args[++i];
    else if (args[i].startsWith('-')) fail('Unknown option ' + args[i]);
    else words.push(args[i]);
  }
  const documents = load(INDEX_PATH)[name];
  if (!documents) fail('Collection not found: ' + name);
  const query = words.join(' ').toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [];
  for (const [file, text] of Object.entries(documents)) {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => query.some((word) => line.toLowerCase().includes(word)));
    if (at < 0) continue;
    const from = Math.max(0, at - 1), to = Math.min(lines.length, at + 3);
    let body = lines.slice(from, to).join('\n');
    if (body.length > 300) body = body.slice(0, 297) + '...';
    const header = '@@ -' + (from + 1) + ',' + (to - from) + ' @@ (' + from + ' before, ' + (lines.length - to) + ' after)\n';
    rows.push({ docid: '#abcdef', score: 0.42, file: 'qmd://' + name + '/' + file, line: at + 1, title: file, snippet: header + body });
  }
  process.stdout.write(JSON.stringify(rows.slice(0, limit)));
}
if (args[0] === 'collection') {
  const all = load(config), name = args[args.indexOf('--name') + 1];
  if (!fs.existsSync(args[2])) fail('No such directory');
  if (all[name]) fail("Collection '" + name + "' already exists.");
  if (Object.values(all).includes(args[2])) fail('A collection already exists for this path and pattern');
  fs.writeFileSync(config, JSON.stringify({ ...all, [name]: args[2] }));
  index();
} else if (args[0] === 'update') index();
else if (args[0] === 'search') search();
`;

/** Runs the program as if it were one that exits at the end of its script. */
async function runHere(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string; stderr: string }> {
  const texts = { stdout: '', stderr: '' };
  const outputTo = (name: keyof typeof texts) => ({
    write(text: string) {
      texts[name] += text;
    },
  });
  const program = {
    argv: ['node', 'qmd', ...args],
    env,
    pid: process.pid,
    stdout: outputTo('stdout'),
    stderr: outputTo('stderr'),
    exit(code: number) {
      throw new QmdFailure('exit', code, texts.stderr);
    },
  };
  new Function('require', '__dirname', 'process', PROGRAM)(createRequire(import.meta.url), folder, program);
  return texts;
}

/** Puts an executable named qmd into a folder of its own. */
export async function fakeQmd(): Promise<FakeQmd> {
  const folder = await mkdtemp(join(tmpdir(), 'slowwave-qmd-'));
  const command = join(folder, 'qmd');
  await writeFile(join(folder, 'program.cjs'), PROGRAM);
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'program.cjs')}" "$@"\n`);
  await chmod(command, 0o755);
  const set = (mode: FakeMode) => writeFile(join(folder, 'mode.json'), JSON.stringify(mode));
  await set('works');
  return {
    folder,
    command,
    executor: runQmd,
    executorHere: (_file, args, options) => runHere(folder, args, options?.env),
    set,
    async calls() {
      const text = await readFile(join(folder, 'calls'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as FakeCall);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
