import { readFileSync, writeFileSync } from 'node:fs';
import { SETTINGS, type Setting } from '@slowwave/config';
import { expect, it } from 'vitest';

const FILE = new URL('../../README.md', import.meta.url);

function rangeOf(setting: Setting): string {
  if (setting.choices) return setting.choices.join(', ');
  if (setting.min !== undefined) return `${setting.min} to ${setting.max}${setting.orNone ? ', none' : ''}`;
  return '';
}

function table(): string {
  const rows = (SETTINGS as readonly Setting[]).map(
    (setting) =>
      `| \`${setting.name}\` | ${setting.default ?? ''} | ${rangeOf(setting)} | ${setting.description} |`,
  );
  return ['| name | default | values | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

it('the settings in the README are those of the code (UPDATE_README=1 writes them)', () => {
  const text = readFileSync(FILE, 'utf8');
  const expected = text.replace(
    /<!-- settings -->[\s\S]*<!-- \/settings -->/,
    () => `<!-- settings -->\n${table()}\n<!-- /settings -->`,
  );
  if (process.env.UPDATE_README) writeFileSync(FILE, expected);
  expect(readFileSync(FILE, 'utf8')).toBe(expected);
});
