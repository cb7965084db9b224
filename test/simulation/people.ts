import { readFileSync } from 'node:fs';
import type { NewMemory } from '@slowwave/db';
import { type Category, DAY_MS } from './units.ts';

/** Somebody whose memories are looked after in the simulation. Quiet hours in minutes after local midnight. */
export interface Person {
  user: string;
  timezone: string;
  quietStart: number;
  quietEnd: number;
}

/** Eight zones: four that change their clocks (one of them by half an hour), four that do not. */
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Tokyo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'America/Sao_Paulo',
  'UTC',
] as const;

const QUIET = [
  [120, 300],
  [60, 210],
  [1380, 360],
  [0, 480],
] as const;

/** People spread over the zones, with the usual quiet hours, short, long, and over midnight. */
export function createPeople(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const [quietStart, quietEnd] = QUIET[Math.floor(index / ZONES.length) % QUIET.length]!;
    return {
      user: `user-${String(index + 1).padStart(2, '0')}`,
      timezone: ZONES[index % ZONES.length]!,
      quietStart,
      quietEnd,
    };
  });
}

interface ExampleLine {
  kind?: string;
  id?: string;
  user: string;
  content?: string;
  category?: string;
  memoryType?: string;
  importance?: number;
  date?: string;
}

interface Example {
  id: string;
  content: string;
  category: Category;
  memoryType: NewMemory['memoryType'];
  importance: number;
  /** Days after the first example of the same person. */
  day: number;
}

/** The example memories of each example person, by the day they came. */
function readExamples(): Example[][] {
  const file = new URL('../../examples/memories.jsonl', import.meta.url);
  const byUser = new Map<string, (ExampleLine & { content: string; date: string })[]>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line) as ExampleLine;
    if (entry.content === undefined || entry.date === undefined) continue;
    const own = byUser.get(entry.user) ?? [];
    own.push({ ...entry, content: entry.content, date: entry.date });
    byUser.set(entry.user, own);
  }
  return [...byUser.values()].map((own) => {
    const first = Math.min(...own.map(({ date }) => Date.parse(date)));
    return own.map((entry) => ({
      id: entry.id ?? '',
      content: entry.content,
      category: (entry.category ?? 'fact') as Category,
      memoryType: (entry.memoryType ?? 'regular') as NewMemory['memoryType'],
      importance: entry.importance ?? 5,
      day: (Date.parse(entry.date) - first) / DAY_MS,
    }));
  });
}

const EXAMPLES = readExamples();

/** What one person tells the assistant, from the first day on; one memory in ten is meant for a month only. */
export function memoriesOf(
  person: Person,
  index: number,
  options: { start: number; days: number },
): NewMemory[] {
  const examples = EXAMPLES[index % EXAMPLES.length]!;
  const lastDay = Math.max(...examples.map(({ day }) => day));
  // The last one comes at the end, and the first ones long before the beginning, so that it begins with memories of all ages.
  const span = Math.max(options.days * 1.4, 240) * DAY_MS;
  const end = options.start + options.days * DAY_MS;
  return examples.map((example, position) => {
    const documentDate = end - (1 - example.day / lastDay) * span;
    return {
      user: person.user,
      externalId: example.id,
      content: example.content,
      category: example.category,
      memoryType: example.memoryType,
      importance: example.importance,
      confidence: 0.8,
      trust: 0.8,
      origin: 'user',
      visibility: 'private',
      workspace: null,
      session: null,
      learnedFrom: 'conversation',
      documentDate: Math.round(documentDate),
      eventDate: null,
      validFrom: null,
      validTo: null,
      expiresAt: position % 10 === 9 ? Math.round(documentDate + 30 * DAY_MS) : null,
      metadata: {},
    };
  });
}
