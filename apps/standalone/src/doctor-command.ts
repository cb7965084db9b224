import type { CheckResult, Verdict } from './doctor/check.ts';
import { type DoctorOptions, examine } from './doctor/doctor.ts';
import { EXIT } from './exit.ts';
import { plural } from './print.ts';
import type { Terminal } from './terminal.ts';

const WORDS: Record<Verdict, string> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', skipped: '-   ' };
const NAME_WIDTH = 18;

/** Looks at everything that a service stands on, and says what to do. @returns exit code: 1 when anything failed */
export async function doctorCommand(
  terminal: Terminal,
  options: Omit<DoctorOptions, 'onResult'>,
  { json }: { json: boolean },
): Promise<number> {
  const onResult = (result: CheckResult) => {
    for (const line of resultLines(result, terminal)) terminal.line(line);
  };
  const diagnosis = await examine(json ? options : { ...options, onResult });
  if (json) terminal.line(JSON.stringify(diagnosis));
  else {
    const count = (verdict: Verdict) => diagnosis.checks.filter((check) => check.verdict === verdict).length;
    const [failed, warned] = [count('fail'), count('warn')];
    terminal.line();
    terminal.line(
      diagnosis.verdict === 'ok'
        ? 'everything is well'
        : `${plural(failed, 'failure')}, ${plural(warned, 'warning')}${failed > 0 ? ': mend the first failure first' : ''}`,
    );
  }
  return diagnosis.verdict === 'fail' ? EXIT.failed : EXIT.ok;
}

function resultLines(
  { check, verdict, cause, action }: CheckResult,
  { bold, dim }: Pick<Terminal, 'bold' | 'dim'>,
): string[] {
  const word = WORDS[verdict];
  const line = `${verdict === 'fail' ? bold(word) : word}  ${check.padEnd(NAME_WIDTH)} ${cause}`;
  const first = verdict === 'skipped' ? dim(line) : line;
  return action === null ? [first] : [first, `      ${''.padEnd(NAME_WIDTH)} ${dim('→')} ${action}`];
}
