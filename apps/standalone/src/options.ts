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

/** A whole number within bounds, both included. */
export function wholeFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`a whole number from ${min} to ${max} is expected`);
  };
}
