/**
 * Data inside a prompt: one JSON value per line between two marker lines. The marker is a hash of the data, chosen so that it does
 * not occur in the data; together with line breaks being escaped, no text inside can end the fence.
 */
const LABELS = [
  'SOURCES',
  'DRAFT',
  'PROBLEMS',
  'MESSAGES',
  'SEED',
  'CANDIDATES',
  'SUMMARIES',
  'PROFILE',
  'PAIRS',
  'STATEMENTS',
] as const;
export type FenceLabel = (typeof LABELS)[number];

/**
 * @param items JSON-serialisable values; NUL and lone surrogates in their strings become U+FFFD.
 * @param markerOf the marker to try for a text, another one for each salt.
 */
export function fence(label: FenceLabel, items: readonly unknown[], markerOf = hashMarker): string {
  const lines = items.map(jsonLine);
  const marker = unusedMarker(lines.join('\n'), markerOf);
  return [`BEGIN ${label} ${marker}`, ...lines, `END ${label} ${marker}`].join('\n');
}

/** The values of the first fence with this label, or null when there is none or it is not whole. */
export function readFence(label: FenceLabel, text: string): unknown[] | null {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => line.startsWith(`BEGIN ${label} `));
  if (begin === -1) return null;
  const end = lines.indexOf(`END ${label} ${lines[begin]!.slice(`BEGIN ${label} `.length)}`, begin + 1);
  if (end === -1) return null;
  try {
    return lines.slice(begin + 1, end).map((line) => JSON.parse(line) as unknown);
  } catch {
    return null;
  }
}

/** Replaces what neither a database nor a model can take: NUL and halves of surrogate pairs. */
export function safeText(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/** Whether a text holds NUL or a lone surrogate. */
export function isSafeText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function jsonLine(item: unknown): string {
  const json = JSON.stringify(item, (_key, value: unknown) =>
    typeof value === 'string' ? safeText(value) : value,
  );
  // JSON leaves these line breaks as they are.
  return json.replace(
    /[\u0085\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function unusedMarker(text: string, markerOf: (text: string, salt: number) => string): string {
  for (let salt = 0; ; salt += 1) {
    const marker = markerOf(text, salt);
    if (!text.includes(marker)) return marker;
  }
}

function hashMarker(text: string, salt: number): string {
  return hash(text, salt) + hash(text, salt ^ 0x5bd1e995);
}

/** FNV-1a over UTF-16 units, 32 bits as hex. It need not be strong: a marker that occurs in the data is passed over. */
function hash(text: string, salt: number): string {
  let state = (0x811c9dc5 ^ salt) >>> 0;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return state.toString(16).padStart(8, '0');
}
