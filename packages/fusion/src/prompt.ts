import { fence, readFence } from './fence.ts';
import type { MemoryEntry } from './memory.ts';
import type { CompletionRequest } from './ports.ts';
import {
  CONNECTION_RULE,
  connectionLines,
  DATA_RULE,
  type PromptSource,
  type RelationContextEntry,
  SUMMARY_SHAPE,
  sourceOf,
} from './prompt-source.ts';

export type { PromptSource, RelationContextEntry } from './prompt-source.ts';

/**
 * The request of the pure function: contents with categories and importances in the first message, JSON with summary, importance and
 * category asked for in the system text.
 */
export function buildFusionPrompt(
  cluster: MemoryEntry[],
  relationContext: RelationContextEntry[] = [],
): CompletionRequest {
  const connections = connectionLines(relationContext);
  const system = `You consolidate memories: merge the numbered memories into one summary that is shorter than they are together and keeps every distinct fact.
${DATA_RULE}${connections.length > 0 ? `\n${CONNECTION_RULE}` : ''}
${SUMMARY_SHAPE}`;
  const parts = ['MEMORIES TO MERGE:', fence('SOURCES', cluster.map(sourceOf))];
  if (connections.length > 0) parts.push('', 'CONNECTIONS:', ...connections);
  parts.push('', 'Merge them into one summary (JSON only).');
  return {
    messages: [{ role: 'user', content: parts.join('\n') }],
    system,
    temperature: 0.1,
    maxTokens: 500,
  };
}

/** The sources of such a request, in order; null when it is none. Offline providers and fakes answer from them. */
export function readFusionRequest(request: CompletionRequest): PromptSource[] | null {
  for (const { role, content } of request.messages) {
    const items = role === 'user' ? readFence('SOURCES', content) : null;
    if (items && items.length > 0 && items.every(isPromptSource)) return items;
  }
  return null;
}

function isPromptSource(item: unknown): item is PromptSource {
  const source = item as Partial<PromptSource> | null;
  return (
    typeof source === 'object' &&
    source !== null &&
    typeof source.n === 'number' &&
    typeof source.text === 'string'
  );
}

/** Rough, on the high side: four ASCII characters or one other character are a token. */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) other += 1;
  }
  return Math.ceil((text.length - other) / 4 + other);
}
