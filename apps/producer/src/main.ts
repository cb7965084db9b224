import { readFile } from 'node:fs/promises';

// Before anything is loaded that takes time: a process that is told to stop at once ends as one that ran.
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.removeAllListeners(signal);
  process.on(signal, () => {
    // A second signal is from an operator who does not want to wait.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const { serve } = await import('./serve.ts');
const code = await serve({
  env: process.env,
  stop: stop.signal,
  version,
  complain: (text) => process.stderr.write(`${text}\n`),
});
process.exit(code);
