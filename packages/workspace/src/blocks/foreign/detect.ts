import { formatOf, type ImportFormat } from '@slowwave/db';
import { isObject, listOf } from './json.ts';
import { isAgentFile, isPassage } from './letta.ts';
import { isMem0Entry, mem0List } from './mem0.ts';
import type { ForeignFormat } from './types.ts';

export type DetectedFormat = ForeignFormat | ImportFormat;

/** As much of a file as is looked at, in bytes. */
export const HEAD_BYTES = 64 * 1024;

const fileName = (path: string): string => (path.split(/[/\\]/).at(-1) ?? '').toLowerCase();

/** What the beginning of a JSON file that was cut off tells. */
function guess(head: string): DetectedFormat {
  if (/^\s*"/.test(head) || /"(?:agents|core_memory|memory_blocks|agent_type)"\s*:/.test(head))
    return 'letta';
  if (/"memory"\s*:\s*"/.test(head) || /^\s*\{\s*"(?:results|memories)"\s*:\s*\[/.test(head)) return 'mem0';
  return /^\s*\[/.test(head) && /"text"\s*:\s*"/.test(head) ? 'letta' : 'jsonl';
}

/** Whether a text begins with a whole object on its first line, and so is JSON Lines if there is more. */
function firstLineIsObject(head: string): unknown {
  const line = head.split('\n').find((one) => one.trim() !== '') ?? '';
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * The format of a file, by its name where that tells (.af, .md, .txt) and otherwise by how it begins.
 * @param path of the file
 * @param head its first HEAD_BYTES, or all of it; a text that is longer is cut
 */
export function detectImport(path: string, head: string | Uint8Array): DetectedFormat {
  const name = fileName(path);
  const text = (typeof head === 'string' ? head : new TextDecoder().decode(head.subarray(0, HEAD_BYTES)))
    .slice(0, HEAD_BYTES)
    .replace(/^\ufeff/, '');
  if (name.endsWith('.af')) return 'letta';
  if (/\.(?:md|markdown)$/.test(name)) return 'markdown';
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'jsonl';
  if (/\.(?:txt|text)$/.test(name)) return /^(?:human|persona)\.te?xt$/.test(name) ? 'letta' : 'text';
  if (!/^\s*[[{"]/.test(text)) return formatOf(name === '' ? null : name, new TextEncoder().encode(text));
  const whole = parsed(text);
  if (whole !== undefined) return formatOfValue(whole);
  const first = firstLineIsObject(text);
  // Several objects, one on each line.
  if (isObject(first)) return 'jsonl';
  return guess(text);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
}

function formatOfValue(value: unknown): DetectedFormat {
  if (isAgentFile(value)) return 'letta';
  const list = mem0List(value);
  if (list?.some(isMem0Entry) || isMem0Entry(value)) return 'mem0';
  if (Array.isArray(value) && value.some(isPassage)) return 'letta';
  // An answer without memories is an export all the same; one object is a line.
  return isObject(value) && listOf(value, 'results') ? 'mem0' : 'jsonl';
}
