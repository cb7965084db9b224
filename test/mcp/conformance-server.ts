import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A picture of one pixel, and a sound without samples. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const states = createRequestStateCodec<{ step: number }>({ key: randomBytes(32) });
const text = (said: string) => ({ type: 'text' as const, text: said });
const says = (said: string) => ({ content: [text(said)] });
const told = (said: string) => ({ role: 'user' as const, content: text(said) });
const embedded = (uri: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: said },
});
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };

const textField = (name: string, message: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
  });
const okField = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});
const sampled = (question: string) =>
  inputRequired.createMessage({ messages: [told(question)], maxTokens: 100 });

const capabilitiesOf = ({ mcpReq }: ServerContext): ClientCapabilities =>
  (mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
const hasAnswer = ({ mcpReq }: ServerContext, ...keys: string[]): boolean =>
  keys.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing');

/** The tools, resources and prompts that the public conformance suite asks for by name, as its scenarios describe them. */
export function createConformanceServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
        completions: {},
        logging: {},
      },
      requestState: { verify: states.verify },
    },
  );
  registerContents(server);
  registerConversations(server);
  registerQuestions(server);
  registerResources(server);
  registerPrompts(server);
  return server;
}

function registerContents(server: McpServer): void {
  const tool = (name: string, content: Parameters<typeof says>[0] | object[]) =>
    server.registerTool(name, { description: name }, () =>
      typeof content === 'string' ? says(content) : { content: content as ReturnType<typeof text>[] },
    );
  const audio = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
  tool('test_simple_text', 'This is a simple text response for testing.');
  tool('test_image_content', [image]);
  tool('test_audio_content', [audio]);
  tool('test_embedded_resource', [embedded('test://embedded-resource', 'An embedded resource.')]);
  const mixed = embedded('test://mixed-content-resource', '{"test":"data"}');
  tool('test_multiple_content_types', [text('Several contents:'), image, mixed]);
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const address = {
    $anchor: 'addressDef',
    type: 'object',
    properties: { street: { type: 'string' }, city: { type: 'string' } },
  };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  };
  const description = 'Has a schema of the 2020-12 draft';
  const inputSchema = fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0]);
  server.registerTool('json_schema_2020_12_tool', { description, inputSchema }, () => says('ok'));
}

function registerConversations(server: McpServer): void {
  const none = z.object({});
  const log = (context: ServerContext, data: string) =>
    context.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs', inputSchema: none },
    async (_, context) => {
      for (const said of ['started', 'processing', 'completed']) await log(context, said);
      return says('logged');
    },
  );
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress', inputSchema: none },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken: progressToken!, progress, total: 100 };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return says(`progress told to ${progressToken}`);
    },
  );
  server.registerTool(
    'test_missing_capability',
    { description: 'Needs sampling', inputSchema: none },
    (_, context) => {
      if (hasAnswer(context, 'greeting')) return says('sampled');
      return inputRequired({ inputRequests: { greeting: sampled('Generate a greeting') } });
    },
  );
  server.registerTool(
    'test_logging_tool',
    { description: 'Logs where asked to', inputSchema: none },
    async (_, context) => {
      await context.mcpReq.log('info', 'a line');
      return says('logged');
    },
  );
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Reports progress, then asks', inputSchema: none },
    async (_, context) => {
      if (hasAnswer(context, 'user_name')) return says('done');
      return inputRequired({ inputRequests: { user_name: textField('name', 'What is your name?') } });
    },
  );
}

/** Tools that end with a question, and go on with the answer. */
function registerQuestions(server: McpServer): void {
  type Answered = ReturnType<typeof says> | ReturnType<typeof inputRequired>;
  const tool = (name: string, call: (context: ServerContext) => Promise<Answered> | Answered) =>
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: `Asks: ${name}`, inputSchema: z.object({}) },
      (_, context) => call(context),
    );
  tool('elicitation', ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'user_name');
    if (answer.kind === 'elicit') return says(`Hello, ${answer.content?.name}!`);
    return inputRequired({ inputRequests: { user_name: textField('name', 'What is your name?') } });
  });
  tool('sampling', ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question');
    if (answer.kind !== 'missing') return says(JSON.stringify(answer));
    return inputRequired({ inputRequests: { capital_question: sampled('What is the capital of France?') } });
  });
  tool('list_roots', ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (answer.kind !== 'missing') return says(JSON.stringify(answer));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of ['request_state', 'tampered_state']) {
    tool(name, async (context) => {
      const state = context.mcpReq.requestState<{ step: number }>();
      if (state?.step === 1 && hasAnswer(context, 'confirm')) return says('state-ok');
      return inputRequired({
        inputRequests: { confirm: okField },
        requestState: await states.mint({ step: 1 }),
      });
    });
  }
  tool('multiple_inputs', async (context) => {
    if (hasAnswer(context, 'user_name', 'greeting', 'client_roots')) return says('all answered');
    return inputRequired({
      inputRequests: {
        user_name: textField('name', 'What is your name?'),
        greeting: sampled('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ step: 1 }),
    });
  });
  tool('multi_round', async (context) => {
    const step = context.mcpReq.requestState<{ step: number }>()?.step ?? 0;
    if (step === 2 && hasAnswer(context, 'step2')) return says('both answered');
    const isSecond = step === 1 && hasAnswer(context, 'step1');
    const question: Record<string, ReturnType<typeof textField>> = isSecond
      ? { step2: textField('color', 'Step 2: What is your favorite color?') }
      : { step1: textField('name', 'Step 1: What is your name?') };
    return inputRequired({
      inputRequests: question,
      requestState: await states.mint({ step: isSecond ? 2 : 1 }),
    });
  });
  tool('capabilities', (context) => {
    const { sampling, elicitation } = capabilitiesOf(context);
    const inputRequests = {
      ...(sampling ? { greeting: sampled('Generate a greeting') } : {}),
      ...(elicitation ? { user_name: textField('name', 'What is your name?') } : {}),
    };
    return Object.keys(inputRequests).length === 0
      ? says('nothing to ask')
      : inputRequired({ inputRequests });
  });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'user_context');
    if (answer.kind === 'elicit') return { messages: [told(`With ${answer.content?.context}`)] };
    const asked = textField('context', 'What context should the prompt use?');
    return inputRequired({ inputRequests: { user_context: asked } });
  });
}

function registerResources(server: McpServer): void {
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'The content of a static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const json = { mimeType: 'application/json' };
  server.registerResource('template', template, json, ({ href }, { id }) => ({
    contents: [
      { uri: href, ...json, text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
    ],
  }));
}

function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A text' }, () => ({
    messages: [told('This is a simple prompt for testing.')],
  }));
  const starting = (value: string | undefined) =>
    ['paris', 'park', 'party'].filter((word) => word.startsWith(value ?? ''));
  const argsSchema = z.object({ arg1: completable(z.string(), starting), arg2: z.string() });
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Arguments', argsSchema },
    ({ arg1, arg2 }) => ({
      messages: [told(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        { role: 'user', content: embedded(resourceUri, 'Embedded resource content for testing.') },
        told('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A picture' }, () => ({
    messages: [{ role: 'user', content: image }, told('Please analyze the image above.')],
  }));
}
