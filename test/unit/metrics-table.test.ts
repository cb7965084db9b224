import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { everyMetric } from './every-metric.ts';
import { readMetrics } from './metrics-lint.ts';

const FILE = new URL('../../docs/observability.md', import.meta.url);

it('the metrics in the documentation are those of the code (UPDATE_METRICS=1 writes them)', async () => {
  const rows = [...readMetrics(await everyMetric()).values()]
    .filter(({ name }) => name.startsWith('slowwave_'))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(
      ({ name, help, labels }) =>
        `| \`${name}\` | ${[...labels].filter((label) => label !== 'le').join(', ')} | ${help} |`,
    );
  const text = readFileSync(FILE, 'utf8');
  const expected = text.replace(
    /<!-- metrics -->[\s\S]*<!-- \/metrics -->/,
    () =>
      `<!-- metrics -->\n| metric | labels | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n<!-- /metrics -->`,
  );
  if (process.env.UPDATE_METRICS) writeFileSync(FILE, expected);
  expect(readFileSync(FILE, 'utf8')).toBe(expected);
});
