import type { RawColumns } from './plan.ts';

/** A row or a part of one as a JSON text, of values that are JSON texts themselves. */
export function rawRow(columns: RawColumns, plain: Record<string, string> = {}): string {
  const parts = Object.entries(plain).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  for (const [name, value] of columns) parts.push(`${JSON.stringify(name)}:${value}`);
  return `{${parts.join(',')}}`;
}
