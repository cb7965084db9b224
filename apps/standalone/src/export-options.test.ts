import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import type { ExportArguments } from './export-command.ts';
import { addExport } from './export-options.ts';

/** What a line comes to, or what is said about its mistake. */
async function parsed(...line: string[]): Promise<{ given?: ExportArguments; told: string }> {
  const found: { given?: ExportArguments; told: string } = { told: '' };
  const program = new Command('slowwave').showSuggestionAfterError();
  const keep = async (given: ExportArguments): Promise<number> => {
    found.given = given;
    return 0;
  };
  addExport(program, { export: keep }, () => {});
  const writeErr = (text: string): void => {
    found.told += text;
  };
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput({ writeErr });
  await program.parseAsync(['export', ...line], { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error;
  });
  return found;
}

describe('the command export', () => {
  it('takes everything of the default tenant as lines to standard output', async () => {
    expect((await parsed()).given).toEqual({ tenant: 'default', format: 'jsonl', json: false });
  });

  it('takes a user, a format and a place', async () => {
    const line = ['--user', 'ana', '--tenant', 't', '--format', 'markdown', '--out', 'pages', '--json'];
    expect((await parsed(...line)).given).toEqual({
      tenant: 't',
      user: 'ana',
      format: 'markdown',
      out: 'pages',
      json: true,
    });
  });

  it.each([
    [['--usr', 'ana'], 'Did you mean --user?'],
    [['--fromat', 'jsonl'], 'Did you mean --format?'],
    [['--format', 'json'], 'Allowed choices are jsonl, markdown'],
  ])('%j is told with what was meant', async (line, told) => {
    const found = await parsed(...line);
    expect(found.given).toBeUndefined();
    expect(found.told).toContain(told);
  });
});
