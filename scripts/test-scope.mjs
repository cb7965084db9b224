/**
 * Splits the arguments of the test command.
 * @param {string[]} argv
 * @returns {{ unitOnly: boolean, rest: boolean, args: string[] }} `args` go to vitest
 */
export function scopeOf(argv) {
  const own = ['--unit', '--rest'];
  return {
    unitOnly: argv.includes('--unit'),
    rest: argv.includes('--rest'),
    args: argv.filter((arg) => !own.includes(arg)),
  };
}
