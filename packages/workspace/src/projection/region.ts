import { bare, lineEndOf, linesOf, markerOf, REGION_BEGIN, REGION_END, RegionRefused } from './markers.ts';

/** A document with its managed region. Everything but `lines` is put back byte for byte. */
export interface Region {
  /** What the user has before it. */
  before: string;
  /** The line end that sets the region apart from what is before it, ours; empty at the beginning of a document. */
  lead: string;
  /** Between the markers, without line ends. */
  lines: string[];
  /** The line end of the last marker; empty at the end of a document. */
  tail: string;
  after: string;
  lineEnd: string;
}

const endOf = (line: string): string => line.slice(bare(line).length);

/**
 * The managed region of a document, null when there is none.
 * @throws RegionRefused when markers are missing, repeated or out of order
 */
export function parseRegion(text: string, path: string): Region | null {
  const lines = linesOf(text);
  const kinds = lines.map((line) => markerOf(bare(line))?.kind);
  const begins = kinds.flatMap((kind, i) => (kind === 'region_begin' ? [i] : []));
  const ends = kinds.flatMap((kind, i) => (kind === 'region_end' ? [i] : []));
  if (begins.length === 0 && ends.length === 0) return null;
  if (begins.length > 1 && ends.length > 1) throw new RegionRefused('several_regions', path);
  const [begin, end] = [begins[0], ends[0]];
  const isWhole = begins.length === 1 && ends.length === 1 && begin! < end!;
  if (!isWhole) throw new RegionRefused('broken_region', path);
  const head = lines.slice(0, begin).join('');
  const lead = /\r?\n$/.exec(head)?.[0] ?? '';
  return {
    before: head.slice(0, head.length - lead.length),
    lead,
    lines: lines.slice(begin! + 1, end).map(bare),
    tail: endOf(lines[end!]!),
    after: lines.slice(end! + 1).join(''),
    lineEnd: lineEndOf(text),
  };
}

/** A region without lines at the end of a text that has none. */
export function regionAtEnd(text: string): Region {
  const lineEnd = lineEndOf(text);
  // A lone carriage return before \n would be read as part of our line end.
  const lead = text === '' ? '' : text.endsWith('\r') ? '\r\n' : lineEnd;
  return { before: text, lead, lines: [], tail: lineEnd, after: '', lineEnd };
}

/** The whole document. */
export function composeRegion({ before, lead, lines, tail, after, lineEnd }: Region): string {
  return before + lead + [REGION_BEGIN, ...lines, REGION_END].join(lineEnd) + tail + after;
}

/** A region with lines of a user's own set before it. */
export function withOwnLines(region: Region, own: readonly string[]): Region {
  if (own.length === 0) return region;
  const { before, lead, lineEnd } = region;
  return { ...region, before: before + lead + own.join(lineEnd), lead: lead === '' ? lineEnd : lead };
}

/** Puts lines in place of those of the managed region, which is made at the end where there is none. @throws RegionRefused */
export function replaceRegion(text: string, lines: readonly string[], path = 'MEMORY.md'): string {
  const region = parseRegion(text, path) ?? regionAtEnd(text);
  return composeRegion({ ...region, lines: [...lines] });
}

/** A document without its managed region: what the user wrote. @throws RegionRefused */
export function outsideRegion(text: string, path = 'MEMORY.md'): string {
  const region = parseRegion(text, path);
  return region === null ? text : region.before + region.after;
}
