/** Decides which browser drives the dashboard's tests: given, on the machine, installed. In this order. */
import { installChromium, whyNoInstall } from './debian.mjs';
import { findChromium } from './found.mjs';

/**
 * @param {{say?: (line: string) => void}} options where progress goes
 * @returns {Promise<string>} the path of a Chromium or Chrome
 * @throws {Error} that says what helps, when there is none and none can be installed
 */
export async function provideChromium({ say = (line) => process.stderr.write(`browser: ${line}\n`) } = {}) {
  const given = process.env.TEST_CHROMIUM?.trim();
  if (given) return given;
  const found = findChromium();
  if (found) return found;
  const reason = whyNoInstall();
  if (!reason) await installChromium({ say });
  const installed = findChromium();
  if (installed) return installed;
  throw new Error(
    [
      `The tests of the dashboard need a Chromium. None was found, and installing: ${reason ?? 'it cannot be found afterwards'}.`,
      'Any one of these helps:',
      '  - install chromium or Google Chrome on this machine',
      '  - set TEST_CHROMIUM to the program of one',
      'Tests that need no browser: npm run test:unit',
    ].join('\n'),
  );
}
