import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createToken, type Database, type TokenRole } from '@slowwave/db';
import type { Producer } from '@slowwave/producer';
import { HOST, openStage, type Stage } from '../producer/harness.ts';

export type Era = 'legacy' | 'auto';

export interface McpStage extends Stage {
  producer: Producer;
  /** A client of the service's /mcp, without a socket, with a token of its own. */
  connect(how?: ConnectOptions): Promise<Client>;
}

export interface ConnectOptions {
  tenant?: string;
  role?: TokenRole;
  speaksForUser?: boolean;
  /** Null: /mcp, where each call names the user. */
  user?: string | null;
  era?: Era;
  forChatGpt?: boolean;
  /** Where the service listens; absent: without a socket, and so without answers that go on. */
  url?: string;
  /** What the person in front of the host answers; absent: the host cannot ask. */
  person?: (question: string) => { action: 'accept' | 'decline' | 'cancel'; content?: { confirm: boolean } };
}

/** @param overrides of the producer */
export async function openMcpStage(overrides: Parameters<Stage['newProducer']>[0] = {}): Promise<McpStage> {
  const stage = await openStage();
  const { producer } = stage.newProducer(overrides);
  const clients: Client[] = [];
  return {
    ...stage,
    producer,
    async connect(how = {}) {
      const { tenant = 't', role = 'write', speaksForUser = false } = how;
      const token = await tokenOf(stage.database, { tenant, role, speaksForUser });
      const client = clientOf(how);
      clients.push(client);
      const { user = 'ana' } = how;
      const path = user === null ? '/mcp' : `/mcp/${encodeURIComponent(user)}`;
      const url = new URL(`${how.url ?? 'http://localhost'}${path}${how.forChatGpt ? '?for=chatgpt' : ''}`);
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      const fetch = how.url === undefined ? within(producer) : globalThis.fetch;
      await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit }));
      return client;
    },
    async dispose() {
      for (const client of clients) await client.close();
      await stage.dispose();
    },
  };
}

export function clientOf({ era = 'auto', person }: Pick<ConnectOptions, 'era' | 'person'>): Client {
  const options: ClientOptions = {
    versionNegotiation: { mode: era },
    ...(person ? { capabilities: { elicitation: { form: {} } } } : {}),
  };
  const client = new Client({ name: 'tests', version: '1' }, options);
  if (person) {
    client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
  }
  return client;
}

export async function tokenOf(
  database: Database,
  of: { tenant: string; role: TokenRole; speaksForUser?: boolean },
): Promise<string> {
  const given = { ...of, name: `${of.role} of ${of.tenant}`, createdBy: 'tests', at: Date.now() };
  const { secret } = await database.withTenant(of.tenant, (tx) => createToken(tx, given));
  return secret;
}

function within(producer: Producer): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...HOST };
    const answer = await producer.app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: `${pathname}${search}`,
      headers,
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
    });
    const empty = [202, 204].includes(answer.statusCode);
    return new Response(empty ? null : new Uint8Array(answer.rawPayload), {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
    });
  };
}

/** Calls a tool. @returns what it answers as data, or the sentence of its refusal as text; with the characters of the whole answer */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content as { type: string; text: string }[];
  return {
    isError: result.isError === true,
    data: JSON.parse(JSON.stringify(result.structuredContent ?? {})),
    text: first?.text ?? '',
    size: JSON.stringify(result).length,
  };
}
