import path from 'node:path';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant } from './mutants.ts';
import { type MutantTests, openMutantTests } from './mutants-tests.ts';
import { judgeMutant, judgeUnmutated, type Verdict } from './mutants-verdict.ts';
import { mutantNamed } from './mutate.ts';

const USAGE = `npm run test:mutants [-- NAME…]    takes each guard away in turn and shows that its test notices
npm run test:mutants -- --list     names them, with guard, place and test
--below FOLDER                     those whose test, or the code they change, stands there; may be repeated`;

const isBelow = (file: string, place: string): boolean => !path.relative(place, file).startsWith('..');

/** Those of one test file side by side, so that what its tests load stays at hand. */
function chosen(names: readonly string[], below: readonly string[] | undefined): Mutant[] {
  const mutants = names.length > 0 ? names.map(mutantNamed) : [...MUTANTS];
  const inPlace = ({ file, killedBy }: Mutant) =>
    below === undefined || below.some((place) => isBelow(file, place) || isBelow(killedBy.file, place));
  return mutants.filter(inPlace).sort((one, other) => one.killedBy.file.localeCompare(other.killedBy.file));
}

/** @returns how many were not killed by their test */
async function tryAll(tests: MutantTests, mutants: readonly Mutant[]): Promise<number> {
  const counts: Record<Verdict['status'], number> = { killed: 0, survived: 0, error: 0 };
  for (const mutant of mutants) {
    const ran = await tests.run([mutant.killedBy], mutant);
    const verdict = judgeMutant(mutant, ran.tests, ran.applied);
    counts[verdict.status] += 1;
    const { file, test } = mutant.killedBy;
    const by = verdict.status === 'killed' ? `${file}: ${test}` : verdict.why;
    const seconds = `${ran.seconds.toFixed(1)} s`.padStart(7);
    console.log(`${verdict.status.padEnd(9)}${mutant.name.padEnd(26)}${seconds}  ${by}`);
  }
  const { killed, survived, error } = counts;
  console.log(`${mutants.length} mutants: ${killed} killed, ${survived} survived, ${error} in error`);
  return survived + error;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      list: { type: 'boolean' },
      below: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const mutants = chosen(positionals, values.below);
  if (values.list) {
    for (const { name, guard, file, killedBy } of mutants)
      console.log(`${name.padEnd(26)}${guard}\n${''.padEnd(26)}${file}, ${killedBy.file}: ${killedBy.test}`);
    return 0;
  }
  if (mutants.length === 0) {
    console.log('no mutants there');
    return 0;
  }
  const tests = await openMutantTests();
  try {
    const killers = mutants.map(({ killedBy }) => killedBy);
    const whole = await tests.run(killers, null);
    const wrong = judgeUnmutated(mutants, whole.tests);
    for (const problem of wrong.values()) console.error(problem);
    const ready = mutants.filter((mutant) => !wrong.has(mutant));
    const seconds = whole.seconds.toFixed(1);
    console.log(`the tests of ${ready.length} of ${mutants.length} pass without any mutant (${seconds} s)`);
    return (await tryAll(tests, ready)) + wrong.size === 0 ? 0 : 1;
  } finally {
    await tests.close();
  }
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 2;
});
