import { bare, ENTRY_END, lineEndOf, linesOf, markerOf, marksIn, RegionRefused } from './markers.ts';

/** An entry about one night, with the line end that sets it apart from what is before it. */
interface Entry {
  runId: string;
  lead: string;
  /** With line ends, markers included. */
  lines: string[];
}

type Part = { text: string } | { entry: Entry };

/** @throws RegionRefused `broken_entry` */
function partsOf(text: string, path: string): Part[] {
  const parts: Part[] = [];
  let open: Entry | null = null;
  let outside = '';
  for (const line of linesOf(text)) {
    const marker = markerOf(bare(line));
    const isEntryMarker = marker?.kind === 'entry_begin' || marker?.kind === 'entry_end';
    if (isEntryMarker && (marker.kind === 'entry_begin') === (open !== null)) {
      throw new RegionRefused('broken_entry', path);
    }
    if (marker?.kind === 'entry_begin') {
      const lead: string = /\r?\n$/.exec(outside)?.[0] ?? '';
      parts.push({ text: outside.slice(0, outside.length - lead.length) });
      outside = '';
      open = { runId: marker.runId, lead, lines: [line] };
    } else if (open !== null) {
      open.lines.push(line);
      if (marker?.kind === 'entry_end') {
        parts.push({ entry: open });
        open = null;
      }
    } else outside += line;
  }
  if (open !== null) throw new RegionRefused('broken_entry', path);
  return [...parts, { text: outside }];
}

const isEntry = (part: Part | undefined): part is { entry: Entry } => part !== undefined && 'entry' in part;
const textOf = (part: Part): string =>
  isEntry(part) ? part.entry.lead + part.entry.lines.join('') : part.text;

/** Takes the oldest entries out. The line end before one goes with it, unless it ends a line of the user's. */
function rotated(parts: readonly Part[], surplus: number): string {
  let left = surplus;
  let text = '';
  for (const [i, part] of parts.entries()) {
    if (!isEntry(part) || left <= 0) {
      text += textOf(part);
      continue;
    }
    left--;
    const [between, next] = [parts[i + 1], parts[i + 2]];
    if (between !== undefined && textOf(between) === '' && isEntry(next)) {
      // The next one takes its place, set apart from the same text by the same line end.
      next.entry.lead = part.entry.lead;
      continue;
    }
    const after = between === undefined ? '' : textOf(between) + (next ? textOf(next) : '');
    const isApart = text === '' || text.endsWith('\n') || after === '' || /^\r?\n/.test(after);
    if (!isApart) text += part.entry.lead;
  }
  return text;
}

export interface DreamsInput {
  /** Null: there is none yet. */
  content: string | null;
  /** What a new document begins with. */
  heading: string;
  runId: string;
  /** Lines of the entry, without markers. */
  entry: readonly string[];
  /** Memories that nothing of ours may name any more. */
  forgotten: ReadonlySet<string>;
  /** Most entries. */
  keep: number;
  path: string;
}

export interface DreamsPlan {
  content: string;
  /** False: the run has its entry already. */
  added: boolean;
  entries: number;
  rotated: number;
  /** Lines taken out since they were about something forgotten. */
  forgotten: number;
}

/**
 * A diary with the entry of a run at its end, once. Entries that stand there, edited by hand or not, stay as they are but for what was
 * forgotten; of more than `keep` the oldest go. What the user writes between them stays byte for byte.
 * @throws RegionRefused
 */
export function planDreams(input: DreamsInput): DreamsPlan {
  const { runId, entry, keep, path } = input;
  const standing = input.content ?? input.heading;
  const parts = partsOf(standing, path);
  let forgotten = 0;
  for (const part of parts) {
    if (!isEntry(part)) continue;
    const kept = part.entry.lines.filter((line) => !marksIn(line).some((id) => input.forgotten.has(id)));
    forgotten += part.entry.lines.length - kept.length;
    part.entry.lines = kept;
  }
  const added = !parts.some((part) => isEntry(part) && part.entry.runId === runId.toLowerCase());
  if (added) parts.push({ entry: entryAtEnd(standing, runId, entry) });
  const entries = parts.filter(isEntry).length;
  const surplus = Math.max(0, entries - keep);
  return { content: rotated(parts, surplus), added, entries: entries - surplus, rotated: surplus, forgotten };
}

function entryAtEnd(standing: string, runId: string, entry: readonly string[]): Entry {
  const lineEnd = lineEndOf(standing);
  const lead = standing === '' ? '' : standing.endsWith('\r') ? '\r\n' : lineEnd;
  const lines = [`<!-- slowwave:run ${runId} -->`, ...entry, ENTRY_END].map((line) => line + lineEnd);
  return { runId, lead, lines };
}

/** A diary without its entries: what the user wrote. @throws RegionRefused */
export function outsideEntries(text: string, path = 'DREAMS.md'): string {
  return partsOf(text, path)
    .map((part) => (isEntry(part) ? '' : part.text))
    .join('');
}
