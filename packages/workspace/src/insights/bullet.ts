import { wordingOf } from '@slowwave/fusion';
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

/** A text without where it was learned, however often that stands at its end. */
function withoutSources(text: string): string {
  let rest = text.trimEnd();
  for (;;) {
    const from = rest.endsWith(')') ? rest.lastIndexOf(SOURCE) : -1;
    if (from === -1 || /[()]/.test(rest.slice(from + SOURCE.length, -1))) return rest;
    rest = rest.slice(0, from).trimEnd();
  }
}

/** The wording of an insight, or of its bullet, wherever it was learned; empty for one without any word. */
export function insightWording(content: string): string {
  const text = withoutSources(contentLine(content));
  return /[\p{L}\p{N}]/u.test(text) ? wordingOf(text) : '';
}
