/**
 * Reads TypeScript source far enough to know its imports and its code without comments and texts. A scanner instead of the
 * compiler's parser: the rules must not depend on the compiler's version, and hold for files that do not compile yet.
 */

export interface SourceImport {
  /** null when the name is computed, so that no rule can judge it. */
  specifier: string | null;
  typeOnly: boolean;
  /** Loaded when the code comes to it, and not with the file. */
  dynamic: boolean;
  line: number;
}

const REGEX_MAY_FOLLOW =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|in|of|void|delete|throw|new|do|else|await|yield))$/;

/** Index after the text that starts at `start` with the quote found there. */
function endOfText(source: string, start: number): number {
  const quote = source[start];
  let at = start + 1;
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, source.length);
}

/** Index after the regular expression that starts at `start`; a slash inside brackets does not end it. */
function endOfRegex(source: string, start: number): number {
  let inClass = false;
  let at = start + 1;
  for (; at < source.length && source[at] !== '\n'; at += source[at] === '\\' ? 2 : 1) {
    if (source[at] === '[') inClass = true;
    else if (source[at] === ']') inClass = false;
    else if (source[at] === '/' && !inClass) return at + 1;
  }
  return at;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/**
 * The source with comments, and what stands inside texts and regular expressions, replaced by blanks. Every position and every line
 * stays where it was, quotes stay, and so does the code inside `${…}` of a template.
 */
export function maskSource(source: string): string {
  let out = '';
  let at = 0;
  // One entry per open template: how many braces are open inside its current ${…}.
  const templates: number[] = [];

  const takeTemplate = (from: number): number => {
    let end = from;
    while (end < source.length) {
      if (source[end] === '\\') end += 2;
      else if (source[end] === '`') {
        templates.pop();
        out += `${blank(source.slice(from, end))}\``;
        return end + 1;
      } else if (source.startsWith('${', end)) {
        out += `${blank(source.slice(from, end))}\${`;
        return end + 2;
      } else end += 1;
    }
    out += blank(source.slice(from));
    return source.length;
  };

  while (at < source.length) {
    const char = source[at] as string;
    const depth = templates.at(-1);
    if (source.startsWith('//', at) || source.startsWith('/*', at)) {
      const close = source[at + 1] === '/' ? source.indexOf('\n', at) : source.indexOf('*/', at) + 2;
      const end = close < 2 ? source.length : close;
      out += blank(source.slice(at, end));
      at = end;
    } else if (char === "'" || char === '"') {
      const end = endOfText(source, at);
      out += char + blank(source.slice(at + 1, end - 1)) + char;
      at = end;
    } else if (char === '`') {
      templates.push(0);
      out += char;
      at = takeTemplate(at + 1);
    } else if (char === '/' && REGEX_MAY_FOLLOW.test(out.trimEnd())) {
      const end = endOfRegex(source, at);
      out += `/${blank(source.slice(at + 1, end - 1))}/`;
      at = end;
    } else if (depth !== undefined && char === '}' && depth === 0) {
      out += char;
      at = takeTemplate(at + 1);
    } else {
      if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && char === '}') templates[templates.length - 1] = depth - 1;
      out += char;
      at += 1;
    }
  }
  return out;
}

const lineAt = (source: string, index: number): number => source.slice(0, index).split('\n').length;

const STATIC =
  /(?<![.\w$#])(?:import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?\s*(?:[\w$\s{},*]*?(?<![\w$])from\s*)?(['"])/g;
const DYNAMIC = /(?<![.\w$#])(?:import|require)\s*\(\s*(['"`]?)/g;

/** `import(file: File): void` in a class, an interface or an object declares a method of that name. */
function isMethod(masked: string, index: number, paren: number): boolean {
  let depth = 1;
  let end = paren + 1;
  for (; end < masked.length && depth > 0; end += 1) {
    if (masked[end] === '(') depth += 1;
    if (masked[end] === ')') depth -= 1;
  }
  return /(?:[{};,]|\basync)\s*$/.test(masked.slice(0, index)) && /^\s*[:{]/.test(masked.slice(end));
}

/** Every import, re-export, dynamic import and `require` of a source, in order of position. */
export function importsOf(source: string): SourceImport[] {
  const masked = maskSource(source);
  const found: (SourceImport & { index: number })[] = [];
  const read = (quoteAt: number): string | null => {
    const end = masked.indexOf(masked[quoteAt] as string, quoteAt + 1);
    const text = source.slice(quoteAt + 1, end);
    return text.includes('${') ? null : text;
  };
  for (const match of masked.matchAll(STATIC)) {
    const index = match.index;
    const specifier = read(index + match[0].length - 1);
    found.push({
      specifier,
      typeOnly: match[1] !== undefined,
      dynamic: false,
      line: lineAt(source, index),
      index,
    });
  }
  for (const match of masked.matchAll(DYNAMIC)) {
    const index = match.index;
    const paren = index + match[0].indexOf('(');
    if (!match[1] && isMethod(masked, index, paren)) continue;
    const specifier = match[1] ? read(index + match[0].length - 1) : null;
    found.push({ specifier, typeOnly: false, dynamic: true, line: lineAt(source, index), index });
  }
  return found.sort((a, b) => a.index - b.index).map(({ index: _index, ...rest }) => rest);
}
