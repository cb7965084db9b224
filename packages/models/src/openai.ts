import type { CompletionRequest, CompletionResponse, LLMProvider } from '@slowwave/fusion';
import { invalidResponse } from './errors.ts';
import { joinUrl, MAX_ANSWER_BYTES, postJson } from './http.ts';
import {
  isRecord,
  modelName,
  outputLimit,
  stopWord,
  tokenCount,
  wellFormed,
  withoutThinking,
} from './request.ts';

export type StructuredOutput = 'json_schema' | 'json_object' | 'none';

export interface OpenAiOptions {
  /** Base of the endpoint with its version, such as http://127.0.0.1:11434/v1. */
  baseUrl: string;
  /** Local servers need none. */
  apiKey?: string;
  model: string;
  /** Longest wait for one whole answer, in milliseconds. */
  timeoutMs: number;
  /** What the server can enforce. Without 'json_schema' the schema goes into the system text as an instruction. */
  structuredOutput: StructuredOutput;
  /** Newer hosted models take only the second name; local servers often know only the first, the default. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** True for models that refuse a temperature. Default false. */
  omitTemperature?: boolean;
}

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
]);

function systemOf(options: OpenAiOptions, request: CompletionRequest): string | undefined {
  if (request.schema === undefined || options.structuredOutput === 'json_schema') return request.system;
  const rule = `Answer with one JSON object and nothing else. It must satisfy this JSON schema: ${JSON.stringify(request.schema)}`;
  return request.system === undefined ? rule : `${request.system}\n\n${rule}`;
}

function formatOf(options: OpenAiOptions, schema: Record<string, unknown> | undefined) {
  if (schema === undefined || options.structuredOutput === 'none') return {};
  if (options.structuredOutput === 'json_object') return { response_format: { type: 'json_object' } };
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  };
}

function bodyOf(options: OpenAiOptions, request: CompletionRequest): Record<string, unknown> {
  const system = systemOf(options, request);
  const messages = system === undefined ? [] : [{ role: 'system', content: wellFormed(system) }];
  for (const { role, content } of request.messages) messages.push({ role, content: wellFormed(content) });
  return {
    model: options.model,
    messages,
    stream: false,
    [options.maxTokensField ?? 'max_tokens']: outputLimit(request),
    ...(request.temperature === undefined || options.omitTemperature
      ? {}
      : { temperature: request.temperature }),
    ...formatOf(options, request.schema),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return withoutThinking(content);
  if (!Array.isArray(content)) return '';
  const texts = content.map((part) => (isRecord(part) && typeof part.text === 'string' ? part.text : ''));
  return withoutThinking(texts.join(''));
}

/**
 * The text of an answer. Servers that take a whole answer for reasoning leave the text empty: reasoning that begins as JSON, and that the
 * model ended by itself, is the answer. Any other is a draft at best.
 */
function answerOf(message: Record<string, unknown>, finishReason: unknown): string {
  const text = textOf(message.content);
  if (text.trim() !== '' || finishReason !== 'stop') return text;
  const reasoning = textOf(message.reasoning_content ?? message.reasoning);
  return /^\s*(?:\{|```)/.test(reasoning) ? reasoning : text;
}

function readAnswer(answer: unknown, model: string): CompletionResponse {
  const choice = isRecord(answer) && Array.isArray(answer.choices) ? answer.choices[0] : undefined;
  if (!isRecord(answer) || !isRecord(choice) || !isRecord(choice.message)) {
    throw invalidResponse('the body is not a chat completion');
  }
  const text = answerOf(choice.message, choice.finish_reason);
  const refused = typeof choice.message.refusal === 'string' && choice.message.refusal !== '';
  const reason = stopWord(choice.finish_reason);
  const usage = isRecord(answer.usage) ? answer.usage : {};
  return {
    content: text === '' ? [] : [{ type: 'text', text }],
    stopReason: refused ? 'refusal' : (STOP_REASONS.get(reason) ?? reason),
    usage: {
      inputTokens: tokenCount(usage.prompt_tokens),
      outputTokens: tokenCount(usage.completion_tokens),
    },
    model: modelName(answer.model, model),
  };
}

/**
 * Any endpoint that speaks chat completions: hosted ones and local servers (Ollama, vLLM, llama.cpp, LM Studio).
 * @throws {ModelError} from `complete`, classified in errors.ts. Never retries by itself.
 */
export function createOpenAiProvider(options: OpenAiOptions): LLMProvider {
  const url = joinUrl(options.baseUrl, '/chat/completions');
  return {
    name: 'openai',
    model: options.model,
    isAvailable: () => options.baseUrl !== '' && options.model !== '',
    complete: async (request) => {
      const answer = await postJson({
        url,
        body: bodyOf(options, request),
        timeoutMs: options.timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        ...(options.apiKey ? { apiKey: options.apiKey } : {}),
        ...(request.signal ? { signal: request.signal } : {}),
      });
      return readAnswer(answer, options.model);
    },
  };
}
