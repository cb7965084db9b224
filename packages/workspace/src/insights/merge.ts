import { insightBullet, sameWords } from './bullet.ts';
import { categoryOfHeading, readInsightsFile, updatedAt } from './insights-file.ts';
import { outline } from './outline.ts';
import { getDefaultInsightsTemplate, isoDay } from './template.ts';
import { INSIGHT_CATEGORIES, type MemoryInsight, type MemoryInsightCategory, SECTION_OF } from './types.ts';

export interface MergePlan {
  /** The file as it should be; what was given when nothing is new. */
  content: string;
  added: number;
  /** Said in the file already, or before in the same list. */
  duplicates: number;
}

/** Adds insights to a file; an insight that stands there in the same words is left out. */
export function planMerge(existing: string, insights: readonly MemoryInsight[], date: Date): MergePlan {
  const base = existing || getDefaultInsightsTemplate(date);
  const known = new Set(readInsightsFile(base).contents.map(sameWords));
  const fresh = new Map<MemoryInsightCategory, string[]>();
  let added = 0;
  for (const insight of insights) {
    const words = sameWords(insight.content);
    if (words === '' || known.has(words)) continue;
    known.add(words);
    added += 1;
    fresh.set(insight.category, [...(fresh.get(insight.category) ?? []), insightBullet(insight)]);
  }
  const duplicates = insights.length - added;
  if (added === 0) return { content: base, added, duplicates };
  return { content: insertBullets(base, fresh, date), added, duplicates };
}

/** The insights file with what is new; see `planMerge`. */
export function mergeInsights(
  existing: string,
  newInsights: MemoryInsight[],
  date: Date = new Date(),
): string {
  return planMerge(existing, newInsights, date).content;
}

function insertBullets(base: string, fresh: Map<MemoryInsightCategory, string[]>, date: Date): string {
  const eol = base.includes('\r\n') ? '\r' : '';
  const lines = outline(base);
  const after = new Map<number, string[]>();
  const missing: string[] = [];
  for (const category of INSIGHT_CATEGORIES) {
    const bullets = fresh.get(category);
    if (!bullets) continue;
    const at = lines.findIndex((line) => categoryOfHeading(line) === category);
    if (at === -1) missing.push(`## ${SECTION_OF[category]}`, ...bullets, '');
    else after.set(lastLineOfSection(lines, at), bullets);
  }
  const updated = lines.findIndex((line) => updatedAt(line) !== null);
  const out: string[] = [];
  const put = (texts: string[]) => out.push(...texts.map((text) => text + eol));
  lines.forEach((line, index) => {
    if (index === updated) {
      put(missing);
      out.push(line.text.replace(/(last updated:).*?(\r?)$/i, `$1 ${isoDay(date)}$2`));
      return;
    }
    const bullets = after.get(index);
    const isLast = index === lines.length - 1;
    // A last line without its end gets one before anything follows.
    out.push(bullets && isLast && !line.text.endsWith('\r') ? line.text + eol : line.text);
    if (bullets) put(bullets);
  });
  if (missing.length > 0 && updated === -1) appendSections(out, missing, eol);
  return out.join('\n');
}

function appendSections(out: string[], missing: readonly string[], eol: string): void {
  while (out.length > 0 && out[out.length - 1]!.trim() === '') out.pop();
  if (out.length > 0) {
    const last = out.pop()!;
    out.push(last.endsWith(eol) ? last : last + eol, eol);
  }
  out.push(...missing.map((text) => text + eol));
  // The last blank line is the end of the last bullet.
  out[out.length - 1] = '';
}

/** The last line with text of the section that begins at a heading. */
function lastLineOfSection(lines: ReturnType<typeof outline>, heading: number): number {
  let last = heading;
  for (let index = heading + 1; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.heading && line.heading.level <= 2) break;
    if (line.text.trim() !== '') last = index;
  }
  return last;
}
