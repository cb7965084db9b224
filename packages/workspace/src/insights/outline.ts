import { REGION_BEGIN, REGION_END } from '../projection/markers.ts';

/** One line of a Markdown text, without its line feed; a carriage return stays. */
export interface OutlineLine {
  text: string;
  heading: { level: number; title: string } | null;
  /** Outside of code blocks and comments. */
  isProse: boolean;
  /** In the managed region, its markers included: written by us. */
  isOurs: boolean;
}

const CODE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;

/** A Markdown text by lines, so that headings in code blocks and comments are not taken for headings. */
export function outline(text: string): OutlineLine[] {
  const region = regionOf(text.split('\n'));
  let code: string | null = null;
  let isComment = false;
  return text.split('\n').map((raw, index): OutlineLine => {
    const line = raw.replace(/\r$/, '');
    const isOurs = region !== null && index >= region.begin && index <= region.end;
    const none = { text: raw, heading: null, isProse: false, isOurs };
    const mark = isComment ? undefined : CODE.exec(line)?.[1];
    if (code !== null) {
      if (mark?.startsWith(code) && line.trim() === mark) code = null;
      return none;
    }
    if (mark !== undefined) {
      code = mark;
      return none;
    }
    const wasComment = isComment;
    isComment = endsInComment(line, isComment);
    if (wasComment || /^\s*<!--/.test(line)) return none;
    const found = HEADING.exec(line);
    return {
      text: raw,
      heading: found ? { level: found[1]!.length, title: found[2]!.trim() } : null,
      isProse: true,
      isOurs,
    };
  });
}

function endsInComment(line: string, isComment: boolean): boolean {
  const [opens, closes] = [line.lastIndexOf('<!--'), line.lastIndexOf('-->')];
  if (opens === -1 && closes === -1) return isComment;
  return opens > closes;
}

/** The lines of the managed region; null without exactly one. */
function regionOf(lines: readonly string[]): { begin: number; end: number } | null {
  const at = (marker: string) => lines.flatMap((line, index) => (line.trim() === marker ? [index] : []));
  const [begins, ends] = [at(REGION_BEGIN), at(REGION_END)];
  if (begins.length !== 1 || ends.length !== 1 || begins[0]! > ends[0]!) return null;
  return { begin: begins[0]!, end: ends[0]! };
}

/** Whether there is no managed region, or exactly one with its markers in order. */
export function isRegionWhole(text: string): boolean {
  const lines = text.split('\n');
  return regionOf(lines) !== null || !lines.some((line) => [REGION_BEGIN, REGION_END].includes(line.trim()));
}

/** A text without what we wrote into it. */
export function ownWords(text: string): string {
  const markers = [REGION_BEGIN, REGION_END];
  return outline(text)
    .filter((line) => !line.isOurs && !markers.includes(line.text.trim()))
    .map((line) => line.text)
    .join('\n');
}

/** The titles of the headings of level 2. */
export function sectionTitles(text: string): string[] {
  return outline(text).flatMap(({ heading }) => (heading?.level === 2 ? [heading.title] : []));
}
