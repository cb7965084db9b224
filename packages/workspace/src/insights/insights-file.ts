import { type OutlineLine, outline } from './outline.ts';
import { INSIGHT_CATEGORIES, type MemoryInsightCategory, SECTION_OF } from './types.ts';

const UPDATED = /^last updated:\s*(.*)$/i;

/** The category whose section a heading of level 2 opens. */
export function categoryOfHeading({ heading }: OutlineLine): MemoryInsightCategory | null {
  if (heading?.level !== 2) return null;
  const title = heading.title.toLowerCase();
  return INSIGHT_CATEGORIES.find((category) => SECTION_OF[category].toLowerCase() === title) ?? null;
}

/** The date that a heading says the file was last updated at; null for any other line. */
export function updatedAt({ heading }: OutlineLine): string | null {
  return heading?.level === 2 ? (UPDATED.exec(heading.title)?.[1] ?? null) : null;
}

const isBullet = (line: OutlineLine) => line.isProse && /^[-*+]\s+\S/.test(line.text);

/** What an insights file holds. */
export interface InsightsFile {
  categories: Record<MemoryInsightCategory, number>;
  /** All bullets, each joined with the lines that continue it. */
  contents: string[];
  lastUpdated: string | undefined;
}

export function readInsightsFile(text: string): InsightsFile {
  const categories: InsightsFile['categories'] = {
    pattern: 0,
    principle: 0,
    convention: 0,
    pitfall: 0,
    context: 0,
  };
  const bullets: string[] = [];
  let category: MemoryInsightCategory | null = null;
  let lastUpdated: string | undefined;
  let isOpen = false;
  for (const line of outline(text)) {
    if (line.heading && line.heading.level <= 2) {
      category = categoryOfHeading(line);
      lastUpdated ??= updatedAt(line)?.trim() || undefined;
    }
    if (isBullet(line)) {
      if (category !== null) categories[category] += 1;
      bullets.push(line.text);
      isOpen = true;
    } else if (isOpen && line.isProse && /^\s+\S/.test(line.text)) {
      bullets[bullets.length - 1] += ` ${line.text.trim()}`;
    } else {
      isOpen = false;
    }
  }
  return { categories, contents: bullets, lastUpdated };
}
