import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { idField, ROLES, type Role } from '@slowwave/api';
import { type Client, SlowwaveProblem } from '@slowwave/client';
import { z } from 'zod';
import { isTooLarge, resultOf } from './answer.ts';

/** Who an MCP server serves, and through what. */
export interface McpAccess {
  /** Calls the service with the token of the agent that connected. */
  client: Client;
  /** Whose memories; null: each call names the user. */
  user: string | null;
  /** Of the token. */
  role: Role;
  /** Whether what is written may pass for the user's own word. */
  speaksForUser: boolean;
  /** Who changes memories, for the journal; null: the name of the token. */
  actor: string | null;
  /** Adds `search` and `fetch` as ChatGPT calls them. */
  forChatGpt: boolean;
  /** Whether a client can be told of nights that end: not where each request has a server of its own. */
  tellsOfNights: boolean;
  /** Of Slowwave. */
  version: string;
}

/** One call of a tool. */
export interface ToolCall {
  client: Client;
  access: McpAccess;
  user: string;
  server: McpServer;
  context: ServerContext;
  /** Of a change, for the journal. */
  by: { by?: string };
}

interface Hints {
  /** Writes nothing. */
  readOnly: boolean;
  /** May change or take away what is there; else it only adds. */
  destructive?: boolean;
  /** The same call again changes nothing more. */
  idempotent: boolean;
}

interface Declared<Input extends z.ZodRawShape> {
  name: string;
  title: string;
  /** For the model. */
  description: string;
  /** The least role whose tokens see it. */
  role: Role;
  hints: Hints;
  /** Beside `user`, which is asked for where the server is bound to none. */
  input: Input;
  /** Absent: it answers with text alone. */
  output?: z.ZodRawShape;
  /** The address of the page that shows its answer, where the host shows pages. */
  page?: string;
  /** Of a user of whom nothing was written yet. */
  nothingYet?: object;
  /** @returns what the output declares, a text where it declares nothing, or a question to a person */
  call(args: z.output<z.ZodObject<Input>>, call: ToolCall): Promise<object | string | InputRequiredResult>;
}

/** A tool as the server registers it. */
export interface Tool {
  name: string;
  role: Role;
  register(server: McpServer, access: McpAccess): void;
}

/** Declares a tool: a route of the service in the words of an agent. */
export function tool<Input extends z.ZodRawShape>(declared: Declared<Input>): Tool {
  const { name, title, description, role, hints, output } = declared;
  return {
    name,
    role,
    register(server, access) {
      const whose = { user: idField.describe('Whose memories: the id of the user.') };
      const inputSchema = z.strictObject({ ...(access.user === null ? whose : {}), ...declared.input });
      const config = {
        title,
        description,
        inputSchema,
        annotations: {
          title,
          readOnlyHint: hints.readOnly,
          destructiveHint: hints.destructive ?? false,
          idempotentHint: hints.idempotent,
          openWorldHint: false,
        },
        ...(output === undefined ? {} : { outputSchema: z.object(output) }),
        ...(declared.page === undefined ? {} : { _meta: { ui: { resourceUri: declared.page } } }),
      };
      server.registerTool(name, config, async (args: unknown, context: ServerContext) => {
        const given = args as z.output<z.ZodObject<Input>> & { user?: string };
        const user = access.user ?? given.user!;
        const by = access.actor === null ? {} : { by: access.actor };
        const call = { client: access.client, access, user, server, context, by };
        try {
          const answer = await declared.call(given, call);
          return isQuestion(answer) ? answer : resultOf(answer);
        } catch (error) {
          const isNew = error instanceof SlowwaveProblem && error.code === 'unknown_user';
          return isNew && declared.nothingYet ? resultOf(declared.nothingYet) : refusalOf(error);
        }
      });
    },
  };
}

const isQuestion = (answer: object | string): answer is InputRequiredResult =>
  typeof answer === 'object' && 'resultType' in answer && answer.resultType === 'input_required';

/** Whether tokens of a role may call what needs another. */
export const mayCall = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** A refusal of a tool itself, in a sentence that says what to do instead. Quotes no memory. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolRefusal';
  }
}

/** What the model reads in place of an answer: it may mend its arguments, wait, or tell the user. */
function refusalOf(error: unknown): CallToolResult {
  const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }], isError: true });
  if (error instanceof SlowwaveProblem) {
    const later = error.retryable ? ' The same call may succeed later.' : '';
    return text(`${error.code}: ${error.detail}${/[.!?]$/.test(error.detail) ? '' : '.'}${later}`);
  }
  if (error instanceof ToolRefusal) return text(error.message);
  // The client says so of an id that cannot stand in an address.
  if (error instanceof TypeError && /^\w+ cannot stand in an address/.test(error.message)) {
    return text(`invalid_request: ${error.message}.`);
  }
  return text('internal_error: the call failed; the log of the service says more. It may succeed later.');
}

/**
 * The largest page that fits into an answer: asked for again with fewer items while it does not.
 * @param limit items that are wanted
 * @param read the page with at most so many items, as the tool answers it
 */
export async function fitting<Answer extends object>(
  limit: number,
  read: (limit: number) => Promise<Answer>,
): Promise<Answer> {
  for (let most = limit; ; ) {
    const answer = await read(most);
    const share = isTooLarge(answer);
    if (share === null || most === 1) return answer;
    most = Math.max(1, Math.min(most - 1, Math.floor(most * share)));
  }
}
