import { askModel } from '../ask.ts';
import { findJsonObject } from '../json-object.ts';
import type { CompletionRequest, LLMProvider } from '../ports.ts';

/** A provider of the kind that parses JSON itself. */
export interface JsonProvider {
  generateJSON<T>(
    prompt: string,
    options?: { systemPrompt?: string; temperature?: number; maxTokens?: number },
  ): Promise<T>;
}

/** What the functions over notes can ask: a provider of the tiers, or one that answers with JSON. */
export type NoteProvider = Pick<LLMProvider, 'name' | 'complete'> | JsonProvider;

/**
 * Asks once for a JSON object; a bare array comes back under `items`. Null when the answer is none.
 * @param keys as of findJsonObject
 * @throws what the provider throws
 */
export async function askForJson(
  provider: NoteProvider,
  request: CompletionRequest & { system: string },
  keys: readonly string[],
): Promise<Record<string, unknown> | null> {
  if ('generateJSON' in provider) {
    const prompt = request.messages.map(({ content }) => content).join('\n\n');
    const { system: systemPrompt, temperature, maxTokens } = request;
    const value: unknown = await provider.generateJSON(prompt, {
      systemPrompt,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    });
    return recordOf(value);
  }
  const asked: LLMProvider = {
    name: provider.name,
    isAvailable: () => true,
    complete: (wanted) => provider.complete(wanted),
  };
  const answer = await askModel(asked, request, request.signal);
  if (answer.stopReason === 'refusal') return null;
  const array = readJsonArray(answer.text);
  if (array) return { items: array };
  const json = findJsonObject(answer.text, keys);
  return json.ok ? json.value : null;
}

function recordOf(value: unknown): Record<string, unknown> | null {
  if (Array.isArray(value)) return { items: value };
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

/** An answer whose first bracket is an array's. */
function readJsonArray(text: string): unknown[] | null {
  const [from, to] = [text.indexOf('['), text.lastIndexOf(']')];
  const object = text.indexOf('{');
  if (from === -1 || to < from || (object !== -1 && object < from)) return null;
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1));
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
