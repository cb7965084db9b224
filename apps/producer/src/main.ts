import { readFile } from 'node:fs/promises';
import { serve } from './serve.ts';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}

const code = await serve({
  env: process.env,
  stop: stop.signal,
  version,
  complain: (text) => process.stderr.write(`${text}\n`),
});
process.exit(code);
