/** A text with an addition at its end that begins on a line of its own and ends one. */
export function appended(content: string | null, addition: string): string {
  const before = content ?? '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${gap}${addition}${addition.endsWith('\n') ? '' : '\n'}`;
}
