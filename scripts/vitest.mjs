/** Runs vitest and says in one plain line how it went. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runForeground } from './foreground.mjs';
import { ROOT } from './install.mjs';

/**
 * Counts tests from vitest's JSON report. A test file that could not even be loaded, or an error outside of any test, has no
 * failed test in the report: each still counts as one failure, so that "0 failed" is never printed for a run that failed.
 */
export function countTests(report, exitCode) {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Prints "N passed, N failed" alone on a line.
 * @param {string[]} args for `vitest run`
 * @returns {Promise<number>} the exit code: not 0 when a test failed or none ran
 */
export async function runVitest(args, env = process.env) {
  const folder = mkdtempSync(join(tmpdir(), 'slowwave-report-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = args.some((arg) => arg.startsWith('--reporter')) ? [] : ['--reporter=default'];
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const options = [...reporters, '--reporter=json', `--outputFile.json=${report}`];
    const code = await runForeground(process.execPath, [vitest, 'run', ...options, ...args], {
      cwd: ROOT,
      env,
    });
    let counts;
    try {
      counts = countTests(JSON.parse(readFileSync(report, 'utf8')), code);
    } catch {
      console.error(`vitest ended with exit code ${code} before it could report.`);
      return code || 1;
    }
    if (counts.skipped > 0) console.log(`${counts.skipped} not run`);
    console.log(`${counts.passed} passed, ${counts.failed} failed`);
    if (counts.passed + counts.failed === 0 && !args.includes('--passWithNoTests')) {
      console.error('No test ran. Those that take long are part of npm run test:rest.');
      return code || 1;
    }
    return code || (counts.failed > 0 ? 1 : 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
