const HTML_TAG =
  /<\/?(?:a|b|br|center|code|del|details|div|em|font|hr|i|img|ins|kbd|mark|p|s|small|span|strong|sub|summary|sup|u)(?:\s[^<>]*)?\/?>/gi;
/** What cannot stand in a note: controls other than tab and line feed, and two code points that are no characters and stand for our own use. */
const CONTROLS = /[^\P{Cc}\t\n]|[\ufdd0\ufdd1]/gu;
const KEPT = /\ufdd0(\d+)\ufdd1/g;
/** Longer texts are no blocks, so their marks do not matter. */
const MARKED_CHARS_MAX = 100_000;

export function withoutControls(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(CONTROLS, '');
}

function linkText(text: string, url: string): string {
  const label = text.trim();
  if (label === '' || label === url) return url;
  return url.startsWith('#') ? label : `${label} (${url})`;
}

/** One pass; each class ends at the next mark, so that no text is walked through twice. */
function withoutEmphasis(text: string): string {
  return text
    .replace(/\*\*(?!\s)([^*\n]*[^*\s])\*\*/g, '$1')
    .replace(/(?<![*\p{L}\p{N}])\*(?![*\s])([^*\n]*[^*\s])\*(?![*\p{L}\p{N}])/gu, '$1')
    .replace(/(?<![_\p{L}\p{N}])__(?![_\s])([^_\n]*[^_\s])__(?![_\p{L}\p{N}])/gu, '$1')
    .replace(/(?<![_\p{L}\p{N}])_(?![_\s])([^_\n]*[^_\s])_(?![_\p{L}\p{N}])/gu, '$1');
}

function withoutMarks(text: string): string {
  return withoutEmphasis(
    withoutEmphasis(
      text
        .replace(/!\[([^\][]*)\]\([^()\s]*(?:\s[^()]*)?\)/g, '$1')
        .replace(/\[([^\][]*)\]\(([^()\s]*)(?:\s[^()]*)?\)/g, (_, label: string, url: string) =>
          linkText(label, url),
        )
        .replace(/\[\[([^\][|]*)(?:\|([^\][]*))?\]\]/g, (_, page: string, label?: string) => label ?? page)
        .replace(/\[([^\][]+)\]\[[^\][]*\]/g, '$1')
        .replace(/<((?:https?|mailto):[^<>\s]*)>/g, '$1')
        .replace(/<br\s*\/?>/gi, ' ')
        .replace(HTML_TAG, '')
        .replace(/~~([^~\n]+)~~/g, '$1'),
    ),
  );
}

/** One text without the marks of Markdown. Code keeps its backticks: they say that it is to be taken word for word. */
export function plainText(markdown: string): string {
  const text = withoutControls(markdown);
  if (text.length > MARKED_CHARS_MAX) return text.replace(/\s+/g, ' ').trim();
  const kept: string[] = [];
  const keep = (part: string): string => `\ufdd0${kept.push(part) - 1}\ufdd1`;
  const marked = text
    .replace(/`+[^`]*`+/g, keep)
    .replace(/\\([!-/:-@[-`{-~])/g, (_, mark: string) => keep(mark));
  return withoutMarks(marked)
    .replace(KEPT, (_, at: string) => kept[Number(at)] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFC');
}

/** Whether all of a text is struck out: it is no longer meant. */
export function isStruck(markdown: string): boolean {
  return /^~~[^~]+~~\.?$/.test(markdown.trim());
}

/** Whether all of a text is an italic remark in parentheses: the place that a template leaves for something. */
export function isPlaceholder(markdown: string): boolean {
  return /^([*_])\([^*_]*\)\1$/.test(markdown.trim());
}
