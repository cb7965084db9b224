import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type ToolCall, ToolRefusal } from './tool.ts';

const confirmed = z.object({ confirm: z.boolean().meta({ title: 'Yes, do it' }) });

/** Whether the host can ask the person in front of it. */
export function canAsk({ server, context }: Pick<ToolCall, 'server' | 'context'>): boolean {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const told = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const capabilities = told ?? server.server.getClientCapabilities();
  return capabilities?.elicitation !== undefined;
}

/**
 * What a person says to a question.
 * @returns true when the answer is yes; the question while it was not asked
 * @throws ToolRefusal when the answer is no, or the person turned away
 */
export function askPerson(
  { context }: Pick<ToolCall, 'context'>,
  message: string,
): true | InputRequiredResult {
  const answer = inputResponse(context.mcpReq.inputResponses, 'confirm');
  if (answer.kind === 'missing') {
    return inputRequired({
      inputRequests: { confirm: inputRequired.elicit({ message, requestedSchema: confirmed }) },
    });
  }
  const isYes =
    answer.kind === 'elicit' &&
    answer.action === 'accept' &&
    confirmed.safeParse(answer.content).data?.confirm === true;
  if (isYes) return true;
  throw new ToolRefusal('declined: the user was asked and does not want it. Nothing was changed.');
}
