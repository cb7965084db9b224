#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write(
    'slowwave is not built yet: run "npm run build" (or "npm start", which does everything).\n',
  );
  process.exit(1);
}
await import(main.href);
