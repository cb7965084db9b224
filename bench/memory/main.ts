import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '@slowwave/config';
import { type EvaluationReport, recallPicture } from '@slowwave/fusion';
import { createModels, createRecording } from '@slowwave/models';
import { budgetOf, createLogger } from '@slowwave/worker';
import { evaluate } from '../../apps/standalone/src/evaluation/evaluate.ts';
import { evaluationLines } from '../../apps/standalone/src/evaluation/lines.ts';
import { readEvaluationSet } from '../../apps/standalone/src/evaluation/read.ts';
import { readAnswers, writeOpenRequests } from '../recorded/answers.ts';
import { createRecordedProvider, startRecordedServer } from '../recorded/server.ts';
import { finalLog } from './final-log.ts';

const USAGE = `npm run bench:memory                  recall before and after nights, on the half of the set to look at
npm run bench:memory -- --final       on both halves; noted in docs/memory-quality.md, once for each change that is judged by it
--nights N       simulated nights (7)
--people A,B     only these
--recorded       with recorded answers of a large language model instead of the offline provider
--requests FILE  prints no figures, writes the requests of both halves that have no recorded answer yet
--out FOLDER     writes the figures as JSON and the pictures as SVG`;

const DATA = new URL('./data/', import.meta.url);
const LOG = new URL('../../docs/memory-quality.md', import.meta.url);
const ANSWERS = new URL('./recorded/', import.meta.url);
const MAX_CHARS = 32_768;
/** The cheapest model of the price table: what the nights cost is what they would cost with it. */
const PRICED_MODEL = 'claude-haiku-5-5';

async function filesOf(half: Half, people: readonly string[] | null): Promise<string[]> {
  const folder = new URL(`${half}/`, DATA);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  return names
    .filter((name) => people === null || people.includes(path.basename(name, '.jsonl')))
    .map((name) => fileURLToPath(new URL(name, folder)));
}

/** The offline embedder, and the provider that was asked for. */
async function openModels(isRecorded: boolean) {
  const models = createModels({ model: { provider: 'offline' }, embedder: { embedder: 'offline' } });
  if (!isRecorded) return { models, recording: null, close: async () => {} };
  const files = (await readdir(ANSWERS)).filter((name) => name.endsWith('.jsonl')).sort();
  const recording = createRecording(
    await readAnswers(files.map((name) => fileURLToPath(new URL(name, ANSWERS)))),
  );
  const server = await startRecordedServer(recording);
  const provider = createRecordedProvider(server.url, PRICED_MODEL);
  return { models: { ...models, provider, providers: {} }, recording, close: () => server.stop() };
}

type Half = 'look' | 'held-out';
type Opened = Awaited<ReturnType<typeof openModels>>;

async function measureHalf(
  half: Half,
  options: { people: readonly string[] | null; nights: number },
  opened: Opened,
) {
  const files = await filesOf(half, options.people);
  if (files.length === 0) return null;
  const report = await evaluate({
    set: await readEvaluationSet(files, MAX_CHARS),
    files: files.map((file) => path.basename(file)),
    models: opened.models,
    logger: createLogger('silent'),
    nights: options.nights,
    ...(opened.recording ? { statements: { judge: true, judgeSecret: 'bench' } } : {}),
    // The ledger, with the default budgets: it says what the nights would have cost.
    budget: budgetOf(readConfig({})),
    maxContentChars: MAX_CHARS,
    onProgress: (text) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${half}: ${text}`),
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  return report;
}

async function printHalf(half: Half, report: EvaluationReport, out: string | undefined): Promise<void> {
  console.log(`\nhalf: ${half}`);
  for (const line of evaluationLines(report, null)) console.log(line);
  if (!out) return;
  await mkdir(out, { recursive: true });
  await writeFile(path.join(out, `${half}.json`), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(path.join(out, `${half}.svg`), recallPicture(report));
}

async function logFinal(half: Half, report: EvaluationReport): Promise<void> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  await appendFile(LOG, finalLog(report, { half, commit, date: new Date().toISOString().slice(0, 10) }));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      nights: { type: 'string', default: '7' },
      people: { type: 'string' },
      out: { type: 'string' },
      final: { type: 'boolean', default: false },
      recorded: { type: 'boolean', default: false },
      requests: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const nights = Number(values.nights);
  if (!Number.isInteger(nights) || nights < 0) throw new Error(`--nights takes a whole number\n${USAGE}`);
  const people = values.people?.split(',') ?? null;
  const isRecording = values.requests !== undefined;
  const opened = await openModels(values.recorded || isRecording);
  const halves: readonly Half[] = values.final || isRecording ? ['look', 'held-out'] : ['look'];
  try {
    const reports = new Map<Half, EvaluationReport>();
    for (const half of halves) {
      const report = await measureHalf(half, { people, nights }, opened);
      if (!report) continue;
      reports.set(half, report);
      // Figures of the half that reports are for a run that is logged.
      if (!isRecording) await printHalf(half, report, values.out);
      if (values.final && !isRecording && people === null) await logFinal(half, report);
    }
    if (reports.size === 0) throw new Error(`${values.people} is not in the set\n${USAGE}`);
    if (opened.recording) {
      const open = opened.recording.open();
      console.log(
        `\nrecorded answers: ${opened.recording.used().size} used, ${open.length} requests without one`,
      );
      if (values.requests) await writeOpenRequests(values.requests, open);
    }
    return 0;
  } finally {
    await opened.close();
  }
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 2;
});
