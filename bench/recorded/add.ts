import { parseArgs } from 'node:util';
import { addAnswers } from './answers.ts';

const USAGE = `npm run bench:answers -- --requests FILE --written FILE --answers FILE --by NAME
adds what a model wrote to recorded answers; FILE of --written: {"key": …, "text": …} in each line`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string' },
      written: { type: 'string', multiple: true },
      answers: { type: 'string' },
      by: { type: 'string' },
    },
  });
  const { requests, written, answers, by } = values;
  if (!requests || !written || !answers || !by) throw new Error(USAGE);
  let code = 0;
  for (const file of written) {
    const { added, unknown } = await addAnswers({ requests, written: file, answers, by });
    console.log(`${file}: ${added} answers added`);
    if (unknown.length === 0) continue;
    console.error(`${file}: no open request ${unknown.join(', ')}`);
    code = 1;
  }
  return code;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 2;
});
