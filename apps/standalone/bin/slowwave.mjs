#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write(
    'slowwave is not built yet: run "npm run build" (or "npm start", which does everything).\n',
  );
  process.exit(1);
}
// A service that is told to stop while it is loaded ends as one that ran. It takes the signals over once it has something to close.
if (['start', 'producer', 'worker'].includes(process.argv[2])) {
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
}
await import(main.href);
