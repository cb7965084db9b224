import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { storeEvaluation } from '@slowwave/db';
import { type EvaluationReport, recallPicture } from '@slowwave/fusion';
import { createModels } from '@slowwave/models';
import { budgetOf, limitsOf, statementsOf } from '@slowwave/worker';
import { anywhere, type CommandContext } from './anywhere.ts';
import { evaluate } from './evaluation/evaluate.ts';
import { evaluationLines } from './evaluation/lines.ts';
import { readEvaluationSet } from './evaluation/read.ts';
import { EXIT, UsageError } from './exit.ts';

export interface EvaluateArguments {
  /** Import files with lines of the kind question; several are one set. */
  files: string[];
  /** Simulated nights of all tiers; 0 measures what is there. */
  nights: number;
  /** A folder for evaluation.json and recall.svg. */
  out?: string;
  /** Also have the configured model answer the questions, and grade the answers. */
  answers: boolean;
  /** Stores the report as the last one of the tenant, which the dashboard shows. */
  publish: boolean;
  tenant: string;
  json: boolean;
}

/**
 * Measures recall before and after simulated nights, on a copy of the file in an embedded database of its own: neither the service nor
 * the database of this machine is asked. @returns exit code
 */
export async function evaluateCommand(context: CommandContext, given: EvaluateArguments): Promise<number> {
  const { config, terminal, logger } = context;
  for (const file of given.files) {
    const found = await stat(file).catch(() => null);
    if (!found?.isFile()) throw new UsageError(`there is no file ${file}`);
  }
  const set = await readEvaluationSet(given.files, config.maxMemoryChars);
  const models = createModels({
    model: config.model,
    embedder: config.embedder,
    steps: { ...config.steps, judge: config.judge ?? {} },
  });
  if (given.answers && (models.provider === null || config.model.provider === 'offline')) {
    throw new UsageError(
      '--answers needs a language model that can answer: set SLOWWAVE_MODEL_PROVIDER to anthropic or openai, and what belongs to it',
    );
  }
  if (given.answers && !given.json) {
    const stages = given.nights > 0 ? 2 : 1;
    terminal.line(
      `the model is asked up to ${(2 * stages * set.questions.length).toLocaleString('en-US')} times for answers and grades, beside what the nights ask`,
    );
  }
  if (given.nights > 0 && models.provider === null && !given.json) {
    terminal.line(
      'no model is configured: in the simulated nights memories fade and are archived, and nothing is fused (SLOWWAVE_MODEL_PROVIDER)',
    );
  }
  const report = await evaluate({
    set,
    files: given.files.map((file) => path.basename(file)),
    models,
    limits: limitsOf(config, { kind: 'embedded' }),
    budget: budgetOf(config),
    ...statementsOf(config),
    ...(context.openScratch ? { openScratch: context.openScratch } : {}),
    logger,
    nights: given.nights,
    answers: given.answers,
    maxContentChars: config.maxMemoryChars,
    onProgress: (text, share) => {
      if (!given.json) terminal.progress(text, share);
    },
  }).finally(() => terminal.clear());
  if (given.out !== undefined) await writeReport(given.out, report);
  if (given.publish) await publish(context, given.tenant, report);
  if (given.json) terminal.line(JSON.stringify(report));
  else for (const line of evaluationLines(report, terminal.columns)) terminal.line(line);
  return EXIT.ok;
}

/** Stores the report where the dashboard reads it: through the service where one runs, else in the database. */
async function publish(context: CommandContext, tenant: string, evaluation: EvaluationReport): Promise<void> {
  await anywhere(context, {
    service: (client) => client.storeEvaluation({ tenant }, evaluation),
    database: (database) =>
      database.withTenant(tenant, (tx) => storeEvaluation(tx, { tenant, at: Date.now(), evaluation })),
  });
}

/** Writes the figures and the picture into a folder, which is made where it is not there. */
async function writeReport(folder: string, report: EvaluationReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'evaluation.json'), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(path.join(folder, 'recall.svg'), recallPicture(report));
}
