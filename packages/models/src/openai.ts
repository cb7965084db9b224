import {
  type CompletionRequest,
  type CompletionResponse,
  type LLMProvider,
  ModelError,
  type RefusedPart,
} from '@slowwave/fusion';
import { fromErrorBody, invalidResponse } from './errors.ts';
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

/** The form of a request, in which endpoints differ. */
export interface RequestForm {
  /** What the server can enforce. Without 'json_schema' the schema goes into the system text as an instruction. Default 'json_schema'. */
  structuredOutput?: StructuredOutput;
  /** Newer hosted models take only the second name; local servers often know only the first, the default. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** True for models that refuse a temperature. Default false. */
  omitTemperature?: boolean;
}

export interface OpenAiOptions extends RequestForm {
  /** Base of the endpoint with its version, such as http://127.0.0.1:11434/v1. */
  baseUrl: string;
  /** Local servers need none. */
  apiKey?: string;
  model: string;
  /** Longest wait for one whole answer, in milliseconds. */
  timeoutMs: number;
}

const formOf = (options: RequestForm): Required<RequestForm> => ({
  structuredOutput: options.structuredOutput ?? 'json_schema',
  maxTokensField: options.maxTokensField ?? 'max_tokens',
  omitTemperature: options.omitTemperature ?? false,
});

/** The form to try after one part of it was refused; null: there is none, or the request has no such part. */
function otherForm(
  form: Required<RequestForm>,
  request: CompletionRequest,
  refused: RefusedPart,
): Required<RequestForm> | null {
  switch (refused) {
    case 'max_tokens':
      return {
        ...form,
        maxTokensField: form.maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
      };
    case 'temperature':
      return form.omitTemperature || request.temperature === undefined
        ? null
        : { ...form, omitTemperature: true };
    case 'schema':
      if (request.schema === undefined || form.structuredOutput === 'none') return null;
      return {
        ...form,
        structuredOutput: form.structuredOutput === 'json_schema' ? 'json_object' : 'none',
      };
    case 'length':
      return null;
  }
}

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
]);

function systemOf(form: Required<RequestForm>, request: CompletionRequest): string | undefined {
  if (request.schema === undefined || form.structuredOutput === 'json_schema') return request.system;
  const rule = `Answer with one JSON object and nothing else. It must satisfy this JSON schema: ${JSON.stringify(request.schema)}`;
  return request.system === undefined ? rule : `${request.system}\n\n${rule}`;
}

function formatOf({ structuredOutput }: Required<RequestForm>, schema: Record<string, unknown> | undefined) {
  if (schema === undefined || structuredOutput === 'none') return {};
  if (structuredOutput === 'json_object') return { response_format: { type: 'json_object' } };
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  };
}

function bodyOf(
  model: string,
  form: Required<RequestForm>,
  request: CompletionRequest,
): Record<string, unknown> {
  const system = systemOf(form, request);
  const messages = system === undefined ? [] : [{ role: 'system', content: wellFormed(system) }];
  for (const { role, content } of request.messages) messages.push({ role, content: wellFormed(content) });
  return {
    model,
    messages,
    stream: false,
    [form.maxTokensField]: outputLimit(request),
    ...(request.temperature === undefined || form.omitTemperature
      ? {}
      : { temperature: request.temperature }),
    ...formatOf(form, request.schema),
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
  const error = fromErrorBody(choice) ?? fromErrorBody(answer);
  if (error !== null) throw error;
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
 *
 * A parameter that the endpoint refuses by name is sent in its other form, or left out, at once; such a refusal costs nothing. The form that
 * was answered is the one that later calls begin with. Where the other form is refused as well, the parameter is not to blame, and no
 * later call tries another form of it.
 * @throws {ModelError} from `complete`, classified in errors.ts. Never asks again after any other failure.
 */
export function createOpenAiProvider(options: OpenAiOptions): LLMProvider {
  const url = joinUrl(options.baseUrl, '/chat/completions');
  let answered = formOf(options);
  const blameless = new Set<RefusedPart>();

  async function ask(request: CompletionRequest, form: Required<RequestForm>): Promise<CompletionResponse> {
    const answer = await postJson({
      url,
      body: bodyOf(options.model, form, request),
      timeoutMs: options.timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      ...(options.apiKey ? { apiKey: options.apiKey } : {}),
      ...(request.signal ? { signal: request.signal } : {}),
    });
    return readAnswer(answer, options.model);
  }

  /** @param tried parts whose form was changed for this request already, and may not change again */
  async function askInForm(
    request: CompletionRequest,
    form: Required<RequestForm>,
    tried: readonly RefusedPart[],
  ): Promise<CompletionResponse> {
    try {
      const response = await ask(request, form);
      if (tried.length > 0) answered = form;
      return response;
    } catch (error) {
      const refused = error instanceof ModelError ? error.about : null;
      if (refused === null || blameless.has(refused)) throw error;
      const other =
        refused === 'max_tokens' && tried.includes(refused) ? null : otherForm(form, request, refused);
      if (other !== null) return askInForm(request, other, [...tried, refused]);
      if (tried.includes(refused)) blameless.add(refused);
      throw error;
    }
  }

  return {
    name: 'openai',
    model: options.model,
    isAvailable: () => options.baseUrl !== '' && options.model !== '',
    complete: (request) => askInForm(request, answered, []),
  };
}
