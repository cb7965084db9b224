/**
 * npm run bench:profile [-- --tier deep|sleep|light --memories N --dimensions N --jobs N --json FILE]
 *
 * Where the time of a job goes: waiting for PostgreSQL and for models, and the processor's time by whose code used it.
 */
import { writeFileSync } from 'node:fs';
import { openOnRedis } from '../../test/fixtures/backends.ts';
import { redisUrl } from '../../test/fixtures/databases.ts';
import { PROFILE_USAGE, readProfileOptions } from './options.ts';
import { profilePage } from './page.ts';
import { profileJobs } from './profile-jobs.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const parsed = readProfileOptions(process.argv.slice(2));
if (parsed.kind === 'refused') {
  for (const error of parsed.errors) process.stderr.write(`${error}\n`);
  process.exitCode = 2;
} else if (parsed.kind === 'help') {
  print(PROFILE_USAGE);
} else {
  const { options } = parsed;
  const backend = await openOnRedis(redisUrl());
  try {
    const figures = await profileJobs(backend, options);
    if (options.json !== null) {
      writeFileSync(options.json, `${JSON.stringify({ options, ...figures }, null, 2)}\n`);
    }
    for (const line of profilePage(options, figures)) print(line);
  } finally {
    await backend.drop();
  }
}
