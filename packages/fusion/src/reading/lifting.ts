import { LIFT_MARK } from './normalise.ts';

/** A stretch of text that is one thing, whatever digits, dots and slashes it holds. */
export interface Lifted {
  kind: 'email' | 'url' | 'code';
  /** As written. */
  text: string;
  /** What it is compared by. */
  folded: string;
}

interface Span extends Lifted {
  from: number;
  to: number;
}

const LINKS = /(?:https?:\/\/|ftp:\/\/|www\.)[!#-;=?-~]+/giu;
const EMAIL_LOCAL = /[A-Za-z0-9._%+-]/;
const EMAIL_DOMAIN = /[A-Za-z0-9.-]/;
const CHUNKS = /[!-~]+/g;
/** Longer ones are no identifier. */
const MAX_CHUNK = 300;
const CLOSING = '.,;:!?)]}\'"';
const OPENING = '([{\'"<';
/** Ends of host names that are no word which might stand after a full stop without a space. */
const TOP_DOMAINS = new Set(
  'com org net io dev ai app edu gov info biz tv eu de fr es uk nl pl ch ca au jp cn ru br se co xyz cloud online site tech blog shop me'.split(
    ' ',
  ),
);
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/i;
const FILE_ENDINGS =
  /\.(?:tsx?|jsx?|mjs|cjs|py|md|json|ya?ml|txt|pdf|docx?|xlsx?|csv|png|jpe?g|gif|svg|sh|sql|html?|s?css|go|rs|java|kt|rb|php|c|cpp|h|toml|lock|env|log|zip|tar|gz|mp[34]|conf|ini|xml)$/i;
/** C++, C#, .NET; a blood type or a grade with its sign. */
const SYMBOLIC = /^(?:[A-Za-z]\+\+|[CF]#|\.NET|(?:AB|[ABO])[+-])$/;
const HANDLE = /^@[A-Za-z0-9_][\w.-]*$/;
const CHANNEL = /^#[A-Za-z][\w-]*$/;
const PLANS = /^40[13]\(?[kb]\)?$/i;

/**
 * Takes addresses, paths, handles and names made of signs out of a text, so that their digits and dots are not read as anything else.
 *
 * @param text normalised.
 */
export function liftOut(text: string): { text: string; lifted: Lifted[] } {
  const spans = [...linkSpans(text), ...emailSpans(text), ...chunkSpans(text)];
  spans.sort((one, other) => one.from - other.from || other.to - one.to);
  const parts: string[] = [];
  const lifted: Lifted[] = [];
  let done = 0;
  for (const span of spans) {
    if (span.from < done) continue;
    parts.push(text.slice(done, span.from), LIFT_MARK);
    lifted.push({ kind: span.kind, text: span.text, folded: span.folded });
    done = span.to;
  }
  parts.push(text.slice(done));
  return { text: parts.join(''), lifted };
}

function spanOf(kind: Lifted['kind'], text: string, from: number, to: number, fold = foldCode): Span {
  const written = text.slice(from, to);
  return { kind, text: written, folded: fold(written), from, to };
}

function linkSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(LINKS)) {
    let to = match.index + match[0].length;
    while (to > match.index && CLOSING.includes(text[to - 1]!)) to -= 1;
    spans.push(spanOf('url', text, match.index, to, foldUrl));
  }
  return spans;
}

function emailSpans(text: string): Span[] {
  const spans: Span[] = [];
  let after = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let from = at;
    while (from > after && EMAIL_LOCAL.test(text[from - 1]!)) from -= 1;
    let to = at + 1;
    while (to < text.length && EMAIL_DOMAIN.test(text[to]!)) to += 1;
    after = to;
    while (to > at + 1 && (text[to - 1] === '.' || text[to - 1] === '-')) to -= 1;
    const domain = text.slice(at + 1, to);
    const lastDot = domain.lastIndexOf('.');
    if (from < at && lastDot > 0 && domain.length - lastDot > 2) {
      spans.push(spanOf('email', text, from, to, (email) => email.toLowerCase()));
    }
  }
  return spans;
}

/** Runs of ASCII without spaces that are a host, a path, a file, a handle, a channel or a name made of signs. */
function chunkSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(CHUNKS)) {
    if (match[0].length > MAX_CHUNK) continue;
    let from = match.index;
    let to = from + match[0].length;
    while (from < to && OPENING.includes(text[from]!)) from += 1;
    while (to > from && CLOSING.includes(text[to - 1]!)) to -= 1;
    // "Anna's" is no name of a file, and "C++'s" is C++.
    if (to - from > 2 && text.slice(to - 2, to).toLowerCase() === "'s") to -= 2;
    const kind = chunkKind(text.slice(from, to));
    if (kind) spans.push(spanOf(kind, text, from, to, kind === 'url' ? foldUrl : foldCode));
    else if (PLANS.test(text.slice(from, to + 1))) spans.push(spanOf('code', text, from, to + 1));
    else if (PLANS.test(text.slice(from, to))) spans.push(spanOf('code', text, from, to));
  }
  return spans;
}

function chunkKind(chunk: string): 'url' | 'code' | null {
  if (chunk.length < 2) return null;
  if (SYMBOLIC.test(chunk) || HANDLE.test(chunk) || CHANNEL.test(chunk)) return 'code';
  if (isPath(chunk)) return 'code';
  const slash = chunk.indexOf('/');
  const host = slash === -1 ? chunk : chunk.slice(0, slash);
  if (HOST.test(host)) {
    const top = host
      .slice(host.lastIndexOf('.') + 1)
      .replace(/:\d+$/, '')
      .toLowerCase();
    // "tea.Me too" is a full stop without a space.
    if (TOP_DOMAINS.has(top) && !/\.[A-Z][a-z]/.test(host)) return 'url';
  }
  return FILE_ENDINGS.test(chunk) && /^[\w./@-]+$/.test(chunk) && /[A-Za-z]/.test(chunk[0]!) ? 'code' : null;
}

/** /etc/hosts, ~/notes, ./a/b, C:\x, src/index.ts; but not and/or, km/h, 24/7. */
function isPath(chunk: string): boolean {
  if (/^[A-Za-z]:\\./.test(chunk)) return true;
  if (/^(?:~|\.{1,2})?\/[\w.@~+-]/.test(chunk)) return true;
  return chunk.includes('/') && /^[\w.@~+-]+(?:\/[\w.@~+-]+)+$/.test(chunk) && FILE_ENDINGS.test(chunk);
}

/** A path tells capitals apart, anything else does not: it is written in either way. 401(k) is 401k. */
function foldCode(written: string): string {
  return written.includes('/') || written.includes('\\')
    ? written
    : written.toLowerCase().replace(/[()]/g, '');
}

/** Without scheme, www and a closing slash. The host is case-insensitive, a path is not. */
export function foldUrl(url: string): string {
  const bare = url.replace(/^(?:https?|ftp):\/\//i, '').replace(/^www\./i, '');
  const path = bare.indexOf('/');
  const cut = path === -1 ? bare.length : path;
  const rest = bare.slice(cut);
  return bare.slice(0, cut).toLowerCase() + (rest.endsWith('/') ? rest.slice(0, -1) : rest);
}
