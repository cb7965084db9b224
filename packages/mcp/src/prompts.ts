import type { McpServer } from '@modelcontextprotocol/server';
import { idField } from '@slowwave/api';
import { z } from 'zod';
import type { McpAccess } from './tool.ts';

const PROMPTS = [
  {
    name: 'start_with_memory',
    title: 'Begin with what is remembered',
    description: 'Reads what matters of the user before the conversation begins.',
    text: 'Before we begin: search my memories for what matters to what I am about to ask, and read the memory.md resource if it is there. Keep to what they say, tell me where two of them contradict each other, and add a memory whenever I say something that will matter later.',
  },
  {
    name: 'last_night',
    title: 'What the last night did',
    description: 'Tells which memories were joined, and offers to undo.',
    text: 'Call get_consolidation for the last night. Show me each new statement beside the memories that it was made of, and what waits for me. Ask whether I want to undo any of it, and do so by its fusion_key only when I say yes.',
  },
  {
    name: 'review_conflicts',
    title: 'Settle contradictions',
    description: 'Goes through the contradictions that wait for the user.',
    text: 'List my open contradictions with resolve_conflict. Show me them one after the other, both sides with their days and origin, and ask me which holds. Settle each as I say, and leave those that I do not decide.',
  },
] as const;

/** What a person may begin a conversation with. */
export function registerPrompts(server: McpServer, { user }: McpAccess): void {
  for (const { name, title, description, text } of PROMPTS) {
    const messageOf = (whose: string | null) => ({
      messages: [
        {
          role: 'user' as const,
          content: { type: 'text' as const, text: whose === null ? text : `${text} The user is ${whose}.` },
        },
      ],
    });
    if (user !== null) server.registerPrompt(name, { title, description }, () => messageOf(null));
    else {
      const argsSchema = z.object({ user: idField });
      server.registerPrompt(name, { title, description, argsSchema }, ({ user: whose }) => messageOf(whose));
    }
  }
}
