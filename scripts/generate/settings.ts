import { readFileSync } from 'node:fs';
import { SETTINGS, type Setting, type SettingName } from '@slowwave/config';

const README = new URL('../../README.md', import.meta.url);

/** What a newcomer needs first; README.md shows these, and docs/settings.md all. */
const FIRST: readonly SettingName[] = [
  'DATABASE_URL',
  'SLOWWAVE_DATA_DIR',
  'QUEUE_URL',
  'SLOWWAVE_MODEL_PROVIDER',
  'SLOWWAVE_MODEL',
  'ANTHROPIC_API_KEY',
  'SLOWWAVE_EMBEDDER',
  'SLOWWAVE_OPERATOR_TOKEN',
];

function valuesOf(setting: Setting): string {
  if (setting.choices) return setting.choices.join(', ');
  if (setting.min !== undefined) return `${setting.min} to ${setting.max}${setting.orNone ? ', none' : ''}`;
  return '';
}

function table(settings: readonly Setting[]): string {
  const rows = settings.map(
    (setting) =>
      `| \`${setting.name}\` | ${setting.default ?? ''} | ${valuesOf(setting)} | ${setting.description} |`,
  );
  return ['| name | default | values | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const PAGE = `# Settings

Settings are environment variables. A process or command reads all of them before it starts anything; it reports all mistakes at once, each with the
name of its setting, and ends with exit code 2. \`slowwave doctor\` reports the same mistakes and then checks what the settings name.

${table(SETTINGS)}
`;

/** The page of all settings, and README.md with the table of the first ones. */
export function settingsFiles(): Record<string, string> {
  const first = SETTINGS.filter(({ name }) => FIRST.includes(name));
  const readme = readFileSync(README, 'utf8').replace(
    /(?<=<!-- settings -->\n)[\s\S]*(?=\n<!-- \/settings -->)/,
    () => table(first),
  );
  return { 'docs/settings.md': PAGE, 'README.md': readme };
}
