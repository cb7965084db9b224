/** Prints the trace of one night of an example user: `npm run trace:sleep`. */
import { type SpanNode, sleepTraced, treeOf } from '../fixtures/traced-sleep.ts';

const { spans, runId } = await sleepTraced();

function print({ span, children }: SpanNode, depth: number): void {
  const [seconds, nanos] = span.duration;
  const ms = (seconds * 1_000 + nanos / 1e6).toFixed(1);
  const attributes = Object.entries(span.attributes).map(([name, value]) => `${name}=${value}`);
  const indent = '  '.repeat(depth);
  process.stdout.write(`${indent}${span.name}  ${ms} ms\n`);
  if (attributes.length > 0) process.stdout.write(`${indent}    ${attributes.join(' ')}\n`);
  for (const child of children) print(child, depth + 1);
}

process.stdout.write(`run ${runId}: ${spans.length} spans\n`);
for (const root of treeOf(spans)) print(root, 0);
