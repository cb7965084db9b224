import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_IMPORT_LIMITS } from '@slowwave/db';
import type { QuestionType } from '@slowwave/fusion';
import { UsageError } from '../../exit.ts';
import { createFileNames } from './file-names.ts';
import { type JsonSample, readSamples } from './json-samples.ts';
import { convertLocomo } from './locomo.ts';
import { convertLongMemEval } from './longmemeval.ts';
import type {
  ConvertedSample,
  ConvertFormat,
  ConvertSample,
  ConvertUnit,
  SampleOptions,
  SkipReason,
} from './sample.ts';
import { isObject, SampleError } from './values.ts';

/** Of each format what reads it and what a memory may hold, the default first. */
export const FORMATS: Readonly<
  Record<ConvertFormat, { convert: ConvertSample; units: readonly [ConvertUnit, ...ConvertUnit[]] }>
> = {
  locomo: { convert: convertLocomo, units: ['observation', 'turn'] },
  longmemeval: { convert: convertLongMemEval, units: ['turn', 'round'] },
};

export interface ConvertProblem {
  file: string;
  /** From 1, in the order of the file. */
  sample: number;
  /** As the file spells it; empty for the sample as a whole. */
  field: string;
  message: string;
}

/** What a conversion did: figures, and what is wrong with the files. */
export interface ConvertSummary {
  format: ConvertFormat;
  unit: ConvertUnit;
  files: number;
  /** Those that were written, a file for each. */
  samples: number;
  memories: number;
  questions: Partial<Record<QuestionType, number>>;
  /** How much was left out on purpose, by reason. */
  skipped: Partial<Record<SkipReason, number>>;
  /** The first 1,000. */
  problems: ConvertProblem[];
  problemCount: number;
}

export interface ConvertOptions {
  format: ConvertFormat;
  unit?: ConvertUnit;
  files: readonly string[];
  /** Made where it is not there; files of the same names are written anew. */
  out: string;
  /** Characters of a memory at most; longer texts become several. */
  maxContentChars: number;
  onProgress?: (done: { file: string; bytes: number; samples: number }) => void;
}

const PROBLEMS_KEPT = 1_000;
/** Six bytes for each character at most, and a line of an import file may have 4 MiB. */
const CONTENT_CHARS_MAX = 500_000;

function createSummary(format: ConvertFormat, unit: ConvertUnit, files: number) {
  const summary: ConvertSummary = {
    format,
    unit,
    files,
    samples: 0,
    memories: 0,
    questions: {},
    skipped: {},
    problems: [],
    problemCount: 0,
  };
  return {
    summary,
    skip: (reason: SkipReason): void => {
      summary.skipped[reason] = (summary.skipped[reason] ?? 0) + 1;
    },
    problem(problem: ConvertProblem): void {
      summary.problemCount += 1;
      if (summary.problems.length < PROBLEMS_KEPT) summary.problems.push(problem);
    },
    written({ memories, questions }: ConvertedSample): void {
      summary.samples += 1;
      summary.memories += memories;
      for (const type of questions) summary.questions[type] = (summary.questions[type] ?? 0) + 1;
    },
  };
}

/**
 * Converts files of another evaluation, sample by sample, each into an evaluation set of its own. A sample whose history cannot be read is
 * left out as a whole, a question alone by itself.
 * @throws UsageError for files that hold no samples
 */
export async function convertEvaluation(options: ConvertOptions): Promise<ConvertSummary> {
  const { format, files, out, onProgress } = options;
  const maxContentChars = Math.min(options.maxContentChars, CONTENT_CHARS_MAX);
  const { convert, units } = FORMATS[format];
  const unit = options.unit ?? units[0];
  if (!units.includes(unit)) {
    throw new UsageError(`--unit ${unit} is not of ${format}: expected ${units.join(' or ')}`);
  }
  const sum = createSummary(format, unit, files.length);
  const fileNames = createFileNames();
  const users = new Set<string>();
  await mkdir(out, { recursive: true });
  for (const given of files) {
    const file = path.basename(given);
    const stream = createReadStream(given, { highWaterMark: 1024 * 1024 });
    for await (const { number, value } of readSamples(stream as AsyncIterable<Uint8Array>, file)) {
      const problem = (field: string, message: string): void =>
        sum.problem({ file, sample: number, field, message });
      const converted = convertOne(
        convert,
        { number, value },
        {
          unit,
          maxContentChars,
          notes: { problem, skip: sum.skip },
        },
      );
      if (converted === null || converted.memories === 0 || converted.questions.length === 0) {
        if (converted !== null) sum.skip('no_questions');
      } else if (users.has(converted.user)) problem('', 'has the id of another sample; convert them apart');
      else {
        users.add(converted.user);
        sum.written(converted);
        await writeFile(path.join(out, fileNames(converted.user)), `${converted.lines.join('\n')}\n`);
      }
      onProgress?.({ file: given, bytes: stream.bytesRead, samples: sum.summary.samples });
    }
  }
  return sum.summary;
}

function convertOne(
  convert: ConvertSample,
  { number, value }: JsonSample,
  options: SampleOptions,
): ConvertedSample | null {
  const { problem } = options.notes;
  if (!isObject(value)) {
    problem('', 'is not valid JSON in UTF-8; download the file again');
    return null;
  }
  try {
    const converted = convert(value, number, options);
    if (converted.lines.length <= DEFAULT_IMPORT_LIMITS.lines) return converted;
    problem('', 'has more than 1,000,000 memories and questions; split its history');
  } catch (error) {
    if (!(error instanceof SampleError)) throw error;
    problem(error.field, error.message);
  }
  return null;
}
