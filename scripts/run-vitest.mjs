/** node scripts/run-vitest.mjs …    vitest with its closing line, and nothing provided */
import { main } from './foreground.mjs';
import { runVitest } from './vitest.mjs';

await main(() => runVitest(process.argv.slice(2)));
