const LINES_MAX = 1_000;
const FIELD = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/;
const KIND = /(?:^|\s)type:\s*["']?(?:user|feedback|project|reference)\b/;

/** What stands between the two lines of dashes at the top of a file. */
export interface FrontMatter {
  /** How many lines it takes, both lines of dashes included; 0 without one. */
  length: number;
  /** Fields of the first level, by name: the line on which each stands, from 1, and its value in one line. */
  fields: ReadonlyMap<string, { line: number; value: string }>;
}

/** A value without its quotes and without the mark of a text of several lines. */
function plainValue(written: string): string {
  const value = written.trim().replace(/^[>|][+-]?\s+/, '');
  const quoted = /^"(.*)"$|^'(.*)'$/s.exec(value);
  if (!quoted) return value;
  return quoted[1]?.replace(/\\(["\\])/g, '$1') ?? quoted[2]!.replaceAll("''", "'");
}

/** Reads the front matter of a file; fields below the first level count as part of the value above them. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const fields = new Map<string, { line: number; value: string }>();
  const end =
    lines[0]?.trimEnd() === '---'
      ? lines.slice(1, LINES_MAX).findIndex((line) => /^(?:---|\.\.\.)\s*$/.test(line))
      : -1;
  for (let at = 1; at <= end; ) {
    const [, name, first = ''] = FIELD.exec(lines[at]!.trimEnd()) ?? [];
    const written = [first];
    const line = at + 1;
    for (at++; at <= end && /^(?:\s|$)/.test(lines[at]!); at++) written.push(lines[at]!.trim());
    if (name !== undefined) fields.set(name.toLowerCase(), { line, value: plainValue(written.join(' ')) });
  }
  return { length: end === -1 ? 0 : end + 2, fields };
}

/**
 * The description of a memory that a coding assistant keeps in a file of its own (name, description and type): it says the fact, and often
 * nothing below repeats it. Null for any other file, of which a description says no more than what the file is about.
 */
export function describedFact({ fields }: FrontMatter): { line: number; value: string } | null {
  const kind = `type: ${fields.get('type')?.value ?? ''} ${fields.get('metadata')?.value ?? ''}`;
  return fields.has('name') && KIND.test(kind) ? (fields.get('description') ?? null) : null;
}
