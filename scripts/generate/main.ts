// Writes what is generated from the declared routes: the OpenAPI document and the client. A test compares them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { generatedFiles, pathOf } from './files.ts';

for (const [name, text] of Object.entries(await generatedFiles())) {
  mkdirSync(new URL('.', pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), text);
  console.log(`${name}: ${text.length.toLocaleString('en')} characters`);
}
