import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from './anywhere.ts';
import { convertEvaluation } from './evaluation/convert/convert.ts';
import { printConverted } from './evaluation/convert/lines.ts';
import type { ConvertFormat, ConvertUnit } from './evaluation/convert/sample.ts';
import { EXIT, UsageError } from './exit.ts';

export interface EvaluateConvertArguments {
  /** Downloaded files, or folders with them. */
  paths: string[];
  from: ConvertFormat;
  /** What one memory holds; absent: the default of the format. */
  unit?: ConvertUnit;
  /** A folder for one import file of each sample. */
  out: string;
  json: boolean;
}

/** The files themselves; of a folder those that end in .json, by name. */
async function filesOf(paths: readonly string[]): Promise<{ path: string; size: number }[]> {
  const files: { path: string; size: number }[] = [];
  for (const given of paths) {
    const found = await stat(given).catch(() => null);
    if (found?.isFile()) files.push({ path: given, size: found.size });
    else if (found?.isDirectory()) {
      const names = (await readdir(given)).filter((name) => /\.json$/i.test(name)).sort();
      const inside = names.map((name) => path.join(given, name));
      if (inside.length === 0) throw new UsageError(`${given} holds no files that end in .json`);
      for (const file of inside) files.push({ path: file, size: (await stat(file)).size });
    } else throw new UsageError(`there is no file ${given}`);
  }
  return files;
}

/**
 * Converts the files of a public evaluation into evaluation sets of ours, one for each sample. Reads and writes files alone.
 * @returns exit code
 */
export async function evaluateConvertCommand(
  context: CommandContext,
  given: EvaluateConvertArguments,
): Promise<number> {
  const { config, terminal } = context;
  const files = await filesOf(given.paths);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const summary = await convertEvaluation({
    format: given.from,
    ...(given.unit === undefined ? {} : { unit: given.unit }),
    files: files.map((file) => file.path),
    out: given.out,
    maxContentChars: config.maxMemoryChars,
    onProgress: ({ file, bytes, samples }) => {
      if (given.json) return;
      const place = files.findIndex((each) => each.path === file);
      const before = files.slice(0, place).reduce((sum, { size }) => sum + size, 0);
      terminal.progress(`${samples} samples converted`, total === 0 ? 1 : (before + bytes) / total);
    },
  }).finally(() => terminal.clear());
  if (given.json) terminal.line(JSON.stringify(summary));
  else printConverted(terminal, summary, given.out);
  return summary.problemCount > 0 || summary.samples === 0 ? EXIT.refusedLines : EXIT.ok;
}
