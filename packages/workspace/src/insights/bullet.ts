import type { MemoryInsight } from './types.ts';

/** A text on one line in which nothing is a comment, a marker or a code block. */
export function plainLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Surrogate}\u2028\u2029\s]+/gu, ' ')
    .replaceAll('<!--', '&lt;!--')
    .replaceAll('-->', '--&gt;')
    .replace(/`{3,}|~{3,}/g, (run) => run.replace(/./g, '\\$&'))
    .trim();
}

/** The content of an insight as it stands in its bullet: neither a heading nor a list of its own. */
function contentLine(text: string): string {
  return plainLine(text)
    .replace(/^(?:[-*+]\s+)+/, '')
    .replace(/^(?=#)/, '\\');
}

/** The bullet of an insight: one line, whatever the insight holds. */
export function insightBullet({ content, source }: Pick<MemoryInsight, 'content' | 'source'>): string {
  const from =
    source === undefined ? '' : plainLine(source.normalize('NFKC')).replaceAll('(', '[').replaceAll(')', ']');
  return `- ${contentLine(content)}${from === '' ? '' : ` (source: ${from})`}`;
}

const SOURCE = '(source: ';
const TAIL = ' .!;:,…';

/** A text without marks that end it and without where it was learned, however often these stand there. */
function withoutTail(text: string): string {
  let end = text.length;
  for (;;) {
    while (end > 0 && TAIL.includes(text[end - 1]!)) end -= 1;
    const from = text[end - 1] === ')' ? text.lastIndexOf(SOURCE, end - 1) : -1;
    if (from === -1 || /[()]/.test(text.slice(from + SOURCE.length, end - 1))) return text.slice(0, end);
    end = from;
  }
}

/** What two insights, or their bullets, have in common that say the same in the same words, wherever they were learned. */
export function sameWords(content: string): string {
  const words = contentLine(content)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('\\', '')
    .replace(/\*\*|__|["'`“”‘’]/g, '')
    .replace(/[\s\p{Cf}]+/gu, ' ');
  return withoutTail(words).trim();
}
