/** What a statement means to somebody who shares one session among many clients. */
export type SessionCommand =
  | { kind: 'begin'; modes: string }
  | { kind: 'commit' }
  | { kind: 'rollback' }
  | { kind: 'listen'; channel: string }
  | { kind: 'unlisten'; channel: string | null }
  | { kind: 'other' };

const OTHER: SessionCommand = { kind: 'other' };
/** Everything that matters here is short; migrations are not, and are not searched. */
const MAX_COMMAND_LENGTH = 300;

const BEGIN = /^(?:BEGIN(?:\s+(?:WORK|TRANSACTION))?|START\s+TRANSACTION)\b\s*([^;]*?)\s*;?\s*$/i;
const COMMIT = /^(?:COMMIT|END)(?:\s+(?:WORK|TRANSACTION))?(?:\s+AND\s+NO\s+CHAIN)?\s*;?\s*$/i;
const ROLLBACK = /^(?:ROLLBACK|ABORT)(?:\s+(?:WORK|TRANSACTION))?(?:\s+AND\s+NO\s+CHAIN)?\s*;?\s*$/i;
const LISTEN = /^LISTEN\s+("(?:[^"]|"")+"|[A-Za-z_][\w$]*)\s*;?\s*$/i;
const UNLISTEN = /^UNLISTEN\s+("(?:[^"]|"")+"|[A-Za-z_][\w$]*|\*)\s*;?\s*$/i;
const OPENS = /^(?:BEGIN|START\s+TRANSACTION)\b/i;

/** Recognises the commands that concern the session, behind any comments. */
export function readCommand(text: string): SessionCommand {
  const sql = withoutLeadingComments(text);
  if (OPENS.test(sql)) {
    const begin = BEGIN.exec(sql);
    if (begin === null) {
      throw new Error('a transaction in the embedded database begins with a statement of its own');
    }
    return { kind: 'begin', modes: begin[1] ?? '' };
  }
  if (sql.length > MAX_COMMAND_LENGTH) return OTHER;
  if (COMMIT.test(sql)) return { kind: 'commit' };
  if (ROLLBACK.test(sql)) return { kind: 'rollback' };
  const listen = LISTEN.exec(sql)?.[1];
  if (listen !== undefined) return { kind: 'listen', channel: listen };
  const unlisten = UNLISTEN.exec(sql)?.[1];
  if (unlisten !== undefined) return { kind: 'unlisten', channel: unlisten === '*' ? null : unlisten };
  return OTHER;
}

/** The channel as notifications name it: folded to lower case unless quoted. */
export function channelName(identifier: string): string {
  return identifier.startsWith('"')
    ? identifier.slice(1, -1).replaceAll('""', '"')
    : identifier.toLowerCase();
}

/** Drops white space, `-- line` comments and (nested) block comments before the first word. */
export function withoutLeadingComments(text: string): string {
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1;
    if (text.startsWith('--', at)) {
      const end = text.indexOf('\n', at);
      if (end < 0) return '';
      at = end + 1;
    } else if (text.startsWith('/*', at)) {
      at = endOfBlockComment(text, at);
    } else {
      return text.slice(at);
    }
  }
}

function endOfBlockComment(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith('/*', at)) {
      depth += 1;
      at += 1;
    } else if (text.startsWith('*/', at)) {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
