// Writes what is generated from the declared routes and settings: the OpenAPI document, the client, the tables of settings. A test compares them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { generatedFiles, pathOf } from './files.ts';

for (const [name, text] of Object.entries(await generatedFiles())) {
  mkdirSync(new URL('.', pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), text);
  console.log(`${name}: ${text.length.toLocaleString('en')} characters`);
}
