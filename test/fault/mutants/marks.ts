import { parseAst } from 'vitest/node';

/** Offsets in a module's text; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** What a mark stands at. */
export interface GuardedCode {
  /** A statement, expression, property or list element of TypeScript, or a line of SQL. */
  code: Span;
  /** The same with the comma behind it, so that nothing is left of it. */
  withSeparator: Span;
  /** The condition of the first `if`, loop or `?:` in it; null: there is none. */
  condition: Span | null;
}

interface Node extends Span {
  type: string;
  [field: string]: unknown;
}

const MARK = /(?:\/\/|\/\*) guard: ([a-z]+(?:-[a-z]+)*)(?: \*\/)?/g;

/** Names of all marks in a module, in their order. */
export const marksIn = (text: string): string[] => [...text.matchAll(MARK)].map(([, name]) => name!);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Each before what it consists of. */
function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesIn(child);
  }
}

const isWithin = (offset: number, { start, end }: Span): boolean => start <= offset && offset < end;

/** The line around an offset, without the white space at its borders. */
function lineAround(text: string, offset: number): Span {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  return { start: start + (line.length - line.trimStart().length), end: start + line.trimEnd().length };
}

function withComma(text: string, code: Span): Span {
  const comma = /^\s*,/.exec(text.slice(code.end));
  return comma ? { start: code.start, end: code.end + comma[0].length } : code;
}

/** A line of SQL: everything on it before its mark. */
function sqlLine(text: string, mark: number, template: Span): GuardedCode | string {
  const { start } = lineAround(text, mark);
  if (start <= template.start) return 'the SQL that is marked must begin on a line of its own';
  const code = { start, end: start + text.slice(start, mark).trimEnd().length };
  return code.end > code.start
    ? { code, withSeparator: code, condition: null }
    : 'a mark in SQL stands at the end of its line';
}

/** Where the first line begins that is neither empty nor a comment. */
function nextCode(text: string, from: number): number {
  const skipped = /^(?:\s*(?:\/\/.*)?\n)*\s*/.exec(text.slice(from))!;
  return from + skipped[0].length;
}

/** The largest piece of TypeScript that begins where the marked line does, or the next line when the mark has a line to itself. */
function typescript(text: string, mark: number, nodes: readonly Node[]): GuardedCode | string {
  const own = lineAround(text, mark).start;
  const start = own === mark ? nextCode(text, mark) : own;
  const code = nodes.find((node) => node.type !== 'Program' && node.start === start);
  if (!code) return 'no piece of code begins on the marked line';
  const tested = nodes.find((node) => isNode(node.test) && node.start >= code.start && node.end <= code.end);
  return {
    code,
    withSeparator: withComma(text, code),
    condition: tested ? (tested.test as Node) : null,
  };
}

/**
 * Finds a guard by the name that stands beside it: `// guard: NAME` behind a line of TypeScript or on the line before it,
 * `/* guard: NAME *\/` behind a line of SQL.
 * @returns a sentence that says why where there is no such place, or more than one
 */
export function guardedCode(text: string, name: string): GuardedCode | string {
  const marks = [...text.matchAll(MARK)].filter(([, found]) => found === name);
  if (marks.length !== 1) return `it is marked ${marks.length} times, not once`;
  const mark = marks[0]!.index;
  const nodes = [...nodesIn(parseAst(text, { lang: 'ts' }) as unknown as Node)];
  const quasi = nodes.find((node) => node.type === 'TemplateElement' && isWithin(mark, node));
  if (!quasi) return typescript(text, mark, nodes);
  const templates = nodes.filter((node) => node.type === 'TemplateLiteral' && isWithin(mark, node));
  return sqlLine(text, mark, templates.at(-1)!);
}
