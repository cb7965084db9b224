import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ConvertSummary, convertEvaluation } from './convert.ts';
import type { ConvertFormat, ConvertUnit } from './sample.ts';

export interface Line {
  kind?: string;
  id: string;
  user: string;
  content: string;
  date: string;
  source?: string;
  question?: string;
  type?: string;
  answers?: string[];
  evidence?: string[][];
}

/** Converts samples in a folder that is removed afterwards. @param check gets the paths of the files that were written */
export async function converted(
  format: ConvertFormat,
  samples: unknown,
  options: { unit?: ConvertUnit; maxContentChars?: number; check?: (files: string[]) => Promise<void> } = {},
): Promise<{ summary: ConvertSummary; files: Map<string, string> }> {
  const { check, maxContentChars = 32_768, unit } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'slowwave-convert-'));
  try {
    const out = path.join(folder, 'out');
    await mkdir(out);
    await writeFile(path.join(folder, 'set.json'), JSON.stringify(samples));
    const summary = await convertEvaluation({
      format,
      files: [path.join(folder, 'set.json')],
      out,
      maxContentChars,
      ...(unit === undefined ? {} : { unit }),
    });
    const names = (await readdir(out)).sort();
    await check?.(names.map((name) => path.join(out, name)));
    const files = new Map<string, string>();
    for (const name of names) files.set(name, await readFile(path.join(out, name), 'utf8'));
    return { summary, files };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The lines of a set by what they are. */
export function linesOf(text: string): { users: Line[]; memories: Line[]; questions: Line[] } {
  const lines = text.trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as Line);
  const of = (kind: string | undefined) => all.filter((line) => line.kind === kind);
  return { users: of('user'), memories: of(undefined), questions: of('question') };
}
