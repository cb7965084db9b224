import { createHeadings } from './headings.ts';
import { isPlaceholder, isStruck, plainText } from './inline.ts';
import type { NoteLine } from './lines.ts';
import { blocksOfItem, type Item, indentOf, isLabel, itemOf, labelOf } from './list-items.ts';
import { cellsOf, rowText } from './tables.ts';
import type { RawBlock } from './types.ts';

/** Deeper lists are told as if they were no deeper. */
const DEPTH_MAX = 20;

/** Reads one file; `lead` is a text that ends in a colon and waits for what it leads in. */
export function createReader(day: string | null) {
  const blocks: RawBlock[] = [];
  const headings = createHeadings(day);
  let paragraph: NoteLine[] = [];
  let lead: RawBlock | null = null;
  let roots: Item[] = [];
  let open: Item[] = [];

  const path = (): string[] => (lead ? [...headings.path(), labelOf(lead.content)] : headings.path());

  function endLead(): void {
    if (lead) blocks.push(lead);
    lead = null;
  }

  function endParagraph(): void {
    if (paragraph.length === 0) return;
    const raw = paragraph.map(({ text }) => text.replace(/^\s*(?:>[ \t]?)+/, '')).join('\n');
    const block: RawBlock = {
      kind: 'paragraph',
      headings: headings.path(),
      content: isStruck(raw) || isPlaceholder(raw) ? '' : plainText(raw),
      startLine: paragraph[0]!.number,
      endLine: paragraph.at(-1)!.number,
    };
    paragraph = [];
    endLead();
    if (isLabel(block.content)) lead = block;
    else if (/[\p{L}\p{N}]/u.test(block.content)) blocks.push(block);
  }

  /** Ends a list, and with it what led it in, which has become the heading of its items. */
  function endList(): void {
    if (roots.length === 0) return;
    for (const item of roots) for (const block of blocksOfItem(item, path())) blocks.push(block);
    roots = [];
    open = [];
    lead = null;
  }

  function endAll(): void {
    endParagraph();
    endList();
  }

  return {
    heading(text: { level: number; text: string }): void {
      endAll();
      endLead();
      headings.enter(text);
    },
    /** The paragraph so far was a heading. */
    underlined(level: number): boolean {
      if (paragraph.length === 0) return false;
      const text = plainText(paragraph.map((line) => line.text).join(' '));
      paragraph = [];
      endLead();
      headings.enter({ level, text });
      return true;
    },
    pause(): void {
      endAll();
      endLead();
    },
    blank: endParagraph,
    item(item: Item): void {
      endParagraph();
      while (open.length > 0 && (open.at(-1)!.indent >= item.indent || open.length >= DEPTH_MAX)) open.pop();
      const parent = open.at(-1);
      if (parent) parent.children.push(item);
      else roots.push(item);
      open.push(item);
    },
    text(line: NoteLine, afterBlank: boolean): void {
      const indent = indentOf(line.text);
      const item = afterBlank
        ? open.findLast((one) => indent >= Math.min(one.inner, one.indent + 2))
        : open.at(-1);
      if (item) {
        item.text.push(line.text.trim());
        item.endLine = line.number;
        return;
      }
      endList();
      paragraph.push(line);
    },
    code(lines: readonly NoteLine[]): void {
      endParagraph();
      const first = lines[0]!;
      const own = itemOf(first);
      const indent = indentOf(first.text);
      const content = lines.map(({ text }) => text.slice(Math.min(indent, text.search(/\S|$/))).trimEnd());
      const parent = open.findLast((one) => indent > one.indent);
      if (parent && !own) {
        parent.code.push(content.join('\n'));
        parent.endLine = lines.at(-1)!.number;
        return;
      }
      endList();
      // A fence right after the mark of a list is that item's only content.
      if (own) content[0] = own.text[0]!;
      const said = content.slice(1, -1).some((line) => line.trim() !== '');
      const range = { startLine: first.number, endLine: lines.at(-1)!.number };
      if (said) blocks.push({ kind: 'code', headings: path(), content: content.join('\n'), ...range });
      lead = null;
    },
    row(names: readonly string[], line: NoteLine): void {
      const content = rowText(names, cellsOf(line.text));
      const range = { startLine: line.number, endLine: line.number };
      if (content !== '') blocks.push({ kind: 'row', headings: path(), content, ...range });
    },
    beforeTable: endAll,
    afterTable(): void {
      lead = null;
    },
    end(): RawBlock[] {
      endAll();
      endLead();
      return blocks;
    },
  };
}

export type Reader = ReturnType<typeof createReader>;
