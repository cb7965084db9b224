import type { Collector } from './collect.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of an object itself, whatever its name; null when it is absent. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? null) : null;
}

export function textOf(object: JsonObject, name: string): string | null {
  const value = fieldOf(object, name);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function listOf(object: JsonObject, name: string): unknown[] | null {
  const value = fieldOf(object, name);
  return Array.isArray(value) ? value : null;
}

/** The value of a JSON text; one that was written down as a string once more is taken out of it. Undefined after a problem. */
export function parseJson(text: string, collector: Collector): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    // The parser's own message quotes the file.
    collector.problem(0, 'invalid_json', 'the file is not valid JSON: export it again, or name its format');
    return undefined;
  }
}

/**
 * An instant that a foreign file gives, epoch ms: ISO 8601 text, or seconds or milliseconds since 1970. Text without a zone is UTC.
 * Null when it is none.
 */
export function instantOf(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) {
    const ms = Math.round(value < 1e11 ? value * 1_000 : value);
    return ms <= 8.64e15 ? ms : null;
  }
  if (typeof value !== 'string') return null;
  const found =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
      value.trim(),
    );
  if (!found) return null;
  const [, day, time = '00:00', zone = 'Z'] = found;
  const ms = Date.parse(
    `${day}T${time.replace(/(\.\d{3})\d+$/, '$1')}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`,
  );
  return Number.isNaN(ms) ? null : ms;
}
