/**
 * npm run build:kernel: compiles packages/fusion/kernel into packages/fusion/src/vectors/kernel-bytes.ts. --check writes nothing and fails
 * when what stands there is not what the source gives.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { main } from './foreground.mjs';
import { ROOT } from './install.mjs';

const SOURCE = 'packages/fusion/kernel/compare.ts';
const TARGET = 'packages/fusion/src/vectors/kernel-bytes.ts';
const OPTIONS = ['--runtime', 'stub', '--noAssert', '-O3', '--enable', 'simd', '--use', 'abort='];
const LINE_CHARS = 96;

/** @returns {Promise<Uint8Array>} the compiled module */
async function compile() {
  let bytes = null;
  const { error, stderr } = await asc.main([SOURCE, ...OPTIONS, '--outFile', 'kernel.wasm'], {
    readFile: (name, folder) => {
      try {
        return readFileSync(join(ROOT, folder, name), 'utf8');
      } catch {
        return null;
      }
    },
    writeFile: (_name, content) => {
      bytes = content;
    },
    listFiles: () => [],
  });
  if (error || !bytes) throw new Error(`${stderr}\nThe kernel does not compile.`);
  return bytes;
}

/** The module as the text of a TypeScript file: a bundler, a worker thread and the tests all find it without looking for a file. */
function moduleText(bytes) {
  const base64 = Buffer.from(bytes).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${LINE_CHARS}}`, 'g'));
  return `// Made from ${SOURCE} by "npm run build:kernel"; not to be edited.
/** The compiled kernel, ${bytes.length} bytes, in base64. */
export const KERNEL_BYTES = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`;
}

await main(async () => {
  const text = moduleText(await compile());
  const path = join(ROOT, TARGET);
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text);
    return 0;
  }
  if (readFileSync(path, 'utf8') === text) return 0;
  throw new Error(`${TARGET} is not what ${SOURCE} gives: run "npm run build:kernel".`);
});
