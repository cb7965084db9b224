import type { MemoryCategory, Origin } from '@slowwave/fusion';
import { readBlocks } from '../blocks.ts';
import { categoryOfBlock, contentOfBlock } from '../memory-of-block.ts';
import { type Collector, dayOfEntry, foreignId, hashOf } from './collect.ts';
import { fieldOf, instantOf, isObject, type JsonObject, listOf, parseJson, textOf } from './json.ts';
import { FOREIGN_ENTRIES_MAX, type ForeignOptions } from './types.ts';

const PASSAGES = ['passages', 'archival_passages', 'archival_memory'] as const;
/** What an agent is told about itself is no memory of a person; it is kept apart. */
const PERSONA = /^(?:persona|system)/i;
const HUMAN = /^(?:human|user)/i;

/** Whether a value looks like an agent file: of today, or of its first version. */
export function isAgentFile(value: unknown): boolean {
  if (!isObject(value)) return false;
  const agents = listOf(value, 'agents');
  const today = agents !== null && (listOf(value, 'blocks') !== null || agents.some(hasMemory));
  return today || hasMemory(value);
}

function hasMemory(value: unknown): boolean {
  return isObject(value) && (listOf(value, 'core_memory') ?? listOf(value, 'memory_blocks')) !== null;
}

export function isPassage(entry: unknown): boolean {
  return isObject(entry) && textOf(entry, 'text') !== null && textOf(entry, 'memory') === null;
}

/** What the user of an agent file may not be asked for: whoever gives the file says whose it is. */
export function readLetta(text: string, options: ForeignOptions, collector: Collector): void {
  if (!/^\s*[[{"]/.test(text.replace(/^\ufeff/, ''))) {
    readText(text, labelOfPath(options.path), 0, options, collector);
    return;
  }
  const value = parseJson(text, collector);
  if (value === undefined) return;
  if (Array.isArray(value)) {
    readPassages(value, options, collector);
    return;
  }
  if (!isObject(value)) {
    collector.problem(0, 'unknown_shape', 'expected an agent file (.af), a list of passages, or plain text');
    return;
  }
  const agents = [value, ...(listOf(value, 'agents') ?? []).filter(isObject)];
  const blocks = [
    ...(listOf(value, 'blocks') ?? []),
    ...agents.flatMap((agent) => [
      ...(listOf(agent, 'core_memory') ?? []),
      ...(listOf(agent, 'memory_blocks') ?? []),
    ]),
  ];
  const passages = agents.flatMap((agent) => PASSAGES.flatMap((name) => listOf(agent, name) ?? []));
  if (blocks.length + passages.length === 0 && !isAgentFile(value)) {
    collector.problem(0, 'unknown_shape', 'expected an agent file with memory blocks or passages');
    return;
  }
  blocks.forEach((block, at) => {
    readBlock(block, at + 1, options, collector);
  });
  readPassages(passages, options, collector, blocks.length);
  const messages = agents.reduce((sum, agent) => sum + (listOf(agent, 'messages')?.length ?? 0), 0);
  if (messages > 0) collector.skip(0, 'messages', messages);
}

function readBlock(block: unknown, line: number, options: ForeignOptions, collector: Collector): void {
  if (!isObject(block)) {
    collector.problem(line, 'not_object', 'the memory block is not an object');
    return;
  }
  const value = fieldOf(block, 'value');
  if (typeof value !== 'string') {
    collector.problem(line, 'wrong_type', 'the memory block has no text under "value"');
    return;
  }
  // A block that nobody wrote into yet.
  if (value.trim() === '') {
    collector.skip(line, 'empty_block');
    return;
  }
  readText(value, textOf(block, 'label') ?? 'memory', line, options, collector);
}

function labelOfPath(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/\.[^.]*$/, '') || 'memory';
}

/** The text of a memory block, thing by thing: a line that stands alone is one, whatever Markdown makes of it. */
function readText(
  text: string,
  label: string,
  line: number,
  options: ForeignOptions,
  collector: Collector,
): void {
  const persona = PERSONA.test(label);
  const source: Origin = persona ? 'assistant' : 'import';
  const heading =
    HUMAN.test(label) || label === 'memory'
      ? []
      : [persona ? 'Persona of the agent' : label.replaceAll('_', ' ')];
  // Lines of these blocks stand for themselves: "First name: Ada" and "Likes tea" are two things.
  const apart = text
    .split('\n')
    .map((one) => (/^\s*(?:[-*+#>|`~]|\d+[.)]|$)/.test(one) ? one : `- ${one.trim()}`));
  for (const block of readBlocks(apart.join('\n'), { path: label, day: null })) {
    if (isUnknown(block.content)) {
      collector.skip(line, 'unanswered');
      continue;
    }
    const told = { ...block, headings: [...heading, ...block.headings] };
    const category: MemoryCategory = persona ? 'insight' : categoryOfBlock(block, false);
    collector.add({
      line: line === 0 ? block.startLine : line,
      id: `letta:${hashOf(label, block.headings, block.content)}`,
      content: contentOfBlock(told),
      category,
      importance: persona ? 3 : 6,
      source,
      date: options.at,
      metadata: { letta: { label } },
    });
  }
}

/** A form that asks and has no answer yet, as in "Age: ?". */
function isUnknown(content: string): boolean {
  return /^[^:]{1,40}:\s*(?:\?+|unknown|n\/a|-)$/i.test(content);
}

function readPassages(
  list: readonly unknown[],
  options: ForeignOptions,
  collector: Collector,
  before = 0,
): void {
  const max = options.entriesMax ?? FOREIGN_ENTRIES_MAX;
  if (list.length > max) {
    collector.problem(
      before + max + 1,
      'too_many',
      `there are more than ${max} passages: from here on nothing is read; split the file`,
    );
  }
  list.slice(0, max).forEach((entry, at) => {
    const line = before + at + 1;
    if (isObject(entry)) readPassage(entry, line, options, collector);
    else if (typeof entry === 'string')
      addPassage({ text: entry }, entry, { line, date: options.at, day: [] }, collector);
    else collector.problem(line, 'not_object', 'the passage is not an object');
  });
}

function readPassage(entry: JsonObject, line: number, options: ForeignOptions, collector: Collector): void {
  const text = textOf(entry, 'text') ?? textOf(entry, 'content');
  if (text === null) {
    collector.problem(line, 'missing', 'the passage has no "text": it is left out');
    return;
  }
  const created = fieldOf(entry, 'created_at') ?? fieldOf(entry, 'timestamp');
  const date = created === null ? options.at : instantOf(created);
  if (date === null) {
    collector.problem(line, 'invalid_date', 'created_at is no date: expected one like 2026-04-12T18:30:00Z');
    return;
  }
  addPassage(entry, text, { line, date, day: dayOfEntry(created, date) }, collector);
}

function addPassage(
  entry: JsonObject,
  text: string,
  { line, date, day }: { line: number; date: number; day: string[] },
  collector: Collector,
): void {
  const id = textOf(entry, 'id');
  // Ids within a file, such as passage-0, are those of another passage in the next one.
  const own = id !== null && !/^[a-z_]+-\d+$/i.test(id);
  const tags = listOf(entry, 'tags');
  collector.add({
    line,
    id: own ? foreignId('letta', id) : `letta:${hashOf(text, ...day)}`,
    content: text,
    category: 'fact',
    date,
    metadata: { letta: { ...(tags ? { tags } : {}) } },
  });
}
