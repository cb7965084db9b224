import type { Matcher } from './words.ts';

/** What a model wrote about documents: no line of it is anybody's own. */
const THOUGHTS = ['memory-insights.md'];
/** Reports about those, made anew by the next run. */
const REPORTS = ['memory-audit.md', 'memory-audit-state.json'];
/** Documents to be looked at whatever they hold. */
export const WRITTEN_BY_US: readonly string[] = [...THOUGHTS, ...REPORTS, 'DREAMS.md'];

const LINES = /[^\n]*\n|[^\n]+$/g;
const MARK = /<!-- slowwave:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) -->/gi;
const ENTRY_BEGINS = /^\s*<!-- slowwave:run [0-9a-f-]{36} -->\s*$/i;
const ENTRY_ENDS = /^\s*<!-- slowwave:run-end -->\s*$/i;

interface Forgotten {
  /** Ids of what is forgotten. */
  ids: { has(id: string): boolean };
  matcher: Matcher;
}

/**
 * A document without the lines that we wrote of what is forgotten: managed lines by their mark, and in entries about runs and among
 * insights whatever says the same. A person's own lines stay as they are.
 * @returns null when nothing of it may stay
 */
export function cutForgotten(path: string, content: string, { ids, matcher }: Forgotten): string | null {
  const name = path.split('/').at(-1) ?? path;
  if (REPORTS.includes(name)) return matcher.says(content) ? null : content;
  const lines = content.match(LINES) ?? [];
  const names = (line: string): boolean =>
    [...line.matchAll(MARK)].some((found) => ids.has(found[1]!.toLowerCase()));
  if (THOUGHTS.includes(name)) return lines.filter((line) => !names(line) && !matcher.says(line)).join('');
  const kept: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (!ENTRY_BEGINS.test(line)) {
      if (!names(line)) kept.push(line);
      continue;
    }
    const end = lines.findIndex((later, at) => at > i && ENTRY_ENDS.test(later));
    // Without its end nobody can tell what is ours: only marks tell.
    if (end === -1) {
      kept.push(line);
      continue;
    }
    kept.push(line, ...cutEntry(lines.slice(i + 1, end), names, matcher), lines[end]!);
    i = end;
  }
  return kept.join('');
}

function cutEntry(lines: readonly string[], names: (line: string) => boolean, matcher: Matcher): string[] {
  const kept = lines.filter((line) => !names(line) && !matcher.says(line));
  // Spread over several lines it is no line's fault: then none of them stays.
  return matcher.contains(kept.join('')) ? [] : kept;
}
