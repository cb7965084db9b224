/** THIRD-PARTY-NOTICES: the license of each third-party package in the tarball. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { licensesIn, readManifest } from './packages.mjs';

const LINE = '-'.repeat(80);

/** License texts for packages that name a license and contain no text of it. */
const STANDARD = {
  MIT: () => readFileSync(join(ROOT, 'LICENSE'), 'utf8').replace(/^Copyright .*\n+/m, ''),
  'Apache-2.0': () => readFileSync(join(ROOT, 'node_modules', '@opentelemetry', 'api', 'LICENSE'), 'utf8'),
};

const authorOf = ({ author }) => (typeof author === 'string' ? author : author?.name) ?? 'its authors';

/** Some packages have their license text at the end of their README only. */
function licenseInReadme(folder) {
  const name = readdirSync(join(ROOT, folder)).find((name) => /^readme\.md$/i.test(name));
  const text = name === undefined ? '' : readFileSync(join(ROOT, folder, name), 'utf8');
  const start = text.search(/^#*\s*licen[cs]e\b/im);
  return start >= 0 && text.includes('Permission is hereby granted', start) ? text.slice(start) : null;
}

function licenseText(folder, manifest) {
  const files = licensesIn(folder);
  if (files.length > 0) return files.map((name) => readFileSync(join(ROOT, folder, name), 'utf8')).join('\n');
  const inReadme = licenseInReadme(folder);
  if (inReadme !== null) return inReadme;
  const standard = STANDARD[manifest.license];
  if (!standard)
    throw new Error(
      `${folder} has no license text, and scripts/pack/notices.mjs has none for ${manifest.license}`,
    );
  return `Copyright (c) ${authorOf(manifest)}\n\n${standard()}`;
}

/** @param {string[]} folders of the packages, from the root */
export function noticesOf(folders) {
  const notices = folders.map((folder) => {
    const manifest = readManifest(folder);
    const { name, version, license } = manifest;
    return { title: `${name} ${version} (${license})`, text: licenseText(folder, manifest) };
  });
  const unique = new Map(notices.map(({ title, text }) => [title, text.replaceAll('\r', '').trim()]));
  const parts = [...unique].sort(([a], [b]) => (a < b ? -1 : 1));
  const head = 'Slowwave contains the packages below, each under the license that follows its name.';
  return `${[head, ...parts.map(([title, text]) => `${LINE}\n${title}\n\n${text}`)].join('\n\n')}\n`;
}
