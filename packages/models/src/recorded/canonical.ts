import { createHash } from 'node:crypto';

/** What of a Messages API body makes a request the same request. */
export interface MessagesBody {
  model: string;
  max_tokens: number;
  system?: string | { text: string }[];
  messages: { role: string; content: string }[];
  output_config?: unknown;
}

export interface CanonicalRequest {
  /** Hash of prompt, schema and data; the same whatever the order of the sources, the marker of the data and the day of the run. */
  key: string;
  /** Hash of the system text and the schema: another wording is another prompt, and needs answers of its own. */
  prompt: string;
  /** The canonical number of each numbered item, by its number in this request. */
  numbers: ReadonlyMap<number, number>;
}

/** Lists whose order says nothing. Messages and summaries keep theirs. */
const UNORDERED: ReadonlySet<string> = new Set(['SOURCES', 'CANDIDATES']);
const BEGIN = /^BEGIN (\w+) \S+$/;
const DAY_MS = 86_400_000;

type Item = Record<string, unknown>;

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

const dayOf = (item: Item): number =>
  typeof item.date === 'string' ? Date.parse(item.date) / DAY_MS : Number.NaN;

/** Reads a request as what it asks: prompt, data sorted by their text, days counted from the oldest of them. */
export function canonicalOf(body: MessagesBody): CanonicalRequest {
  const system =
    typeof body.system === 'string' ? body.system : (body.system ?? []).map(({ text }) => text).join('');
  const prompt = hashOf([system, body.output_config ?? null]);
  const numbers = new Map<number, number>();
  const contents = body.messages.map(({ content }) => partsOf(content));
  const items = contents.flatMap((parts) => parts.flatMap((part) => ('items' in part ? part.items : [])));
  const days = items.map(dayOf).filter((day) => !Number.isNaN(day));
  const oldest = days.length === 0 ? 0 : Math.min(...days);
  for (const part of contents.flat())
    if ('items' in part && UNORDERED.has(part.label)) sortItems(part, numbers);
  const read = contents.map((parts) =>
    parts.map((part) =>
      'items' in part
        ? [part.label, part.items.map((item) => plainItem(item, oldest, numbers))]
        : part.lines.map((line) => renumberedLine(line, numbers)).sort(),
    ),
  );
  return { key: hashOf([prompt, read]), prompt, numbers };
}

type Part = { label: string; items: Item[] } | { lines: string[] };

/** Data between its border lines, and the lines around them. */
function partsOf(content: string): Part[] {
  const parts: Part[] = [];
  const lines = content.split('\n');
  let plain: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const label = BEGIN.exec(line)?.[1];
    const end = label === undefined ? -1 : lines.indexOf(line.replace('BEGIN', 'END'), at);
    if (label === undefined || end === -1) {
      plain.push(line);
      continue;
    }
    parts.push({ lines: plain }, { label, items: lines.slice(at + 1, end).map((one) => JSON.parse(one)) });
    plain = [];
    at = end;
  }
  return [...parts, { lines: plain }];
}

/** By text, then by day; the numbers follow. */
function sortItems(part: { items: Item[] }, numbers: Map<number, number>): void {
  const keyOf = (item: Item) => `${String(item.text)} ${String(item.date)}`;
  part.items.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
  for (const [place, { n }] of part.items.entries()) if (typeof n === 'number') numbers.set(n, place + 1);
}

function plainItem(item: Item, oldest: number, numbers: ReadonlyMap<number, number>): Item {
  const { n: _n, ...plain } = item;
  const day = dayOf(item);
  if (!Number.isNaN(day)) plain.date = day - oldest;
  if (typeof plain.source === 'number') plain.source = numbers.get(plain.source) ?? plain.source;
  // A draft names its sources by their numbers, and so do the problems with it.
  if (Array.isArray(plain.sources) && plain.sources.every((one) => typeof one === 'number'))
    plain.sources = plain.sources.map((one: number) => numbers.get(one) ?? one).sort((a, b) => a - b);
  if (Array.isArray(plain.problems))
    plain.problems = plain.problems.map((problem: Item) => plainItem(problem, oldest, numbers));
  return plain;
}

/** Lines such as "- 1 EXTENDS 2" and "Pairs to compare: 1 and 2" name items by their numbers; which one comes first says nothing. */
function renumberedLine(line: string, numbers: ReadonlyMap<number, number>): string {
  const pair = (one: string, word: string, other: string) =>
    [one, other]
      .map((n) => numbers.get(Number(n)) ?? Number(n))
      .sort((a, b) => a - b)
      .join(` ${word} `);
  return line
    .replace(/^- (\d+) (\w+) (\d+)$/, (_, one, word, other) => `- ${pair(one, word, other)}`)
    .replace(/^Leave out notes ([\d, ]+):/, (_, list: string) => {
      const canonical = list.split(', ').map((n) => numbers.get(Number(n)) ?? Number(n));
      return `Leave out notes ${canonical.sort((a, b) => a - b).join(', ')}:`;
    })
    .replace(/(\d+) (and) (\d+)/g, (_, one, word, other) => pair(one, word, other));
}

/** The fields in which an answer names items by their numbers. */
const NAMING: ReadonlySet<string> = new Set(['covered', 'sources', 'source', 'a', 'b', 'n', 'wider']);

/** The same JSON with other numbers of items; an answer that is no JSON stays as it is. */
export function renumberAnswer(text: string, to: (number: number) => number | undefined): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const renumber = (part: unknown, isNaming: boolean): unknown => {
    if (typeof part === 'number') return isNaming ? (to(part) ?? part) : part;
    if (Array.isArray(part)) return part.map((one) => renumber(one, isNaming));
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, renumber(inner, NAMING.has(name))]),
    );
  };
  return JSON.stringify(renumber(value, false));
}
