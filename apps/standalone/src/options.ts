import { InvalidArgumentError, Option } from 'commander';

/** Options that many commands share. */
export const tenantOption = (): Option =>
  new Option('--tenant <tenant>', 'tenant of the user').default('default');

export const jsonOption = (): Option => new Option('--json', 'print JSON for programs').default(false);

/** @throws InvalidArgumentError */
export function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > 86_400) {
    throw new InvalidArgumentError('a number of seconds from 1 to 86400 is expected');
  }
  return value;
}
