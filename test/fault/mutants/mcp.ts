import { by, mutantsIn } from './table.ts';

const TOOLS = 'test/mcp/tools.test.ts';

/** The guards of what an assistant may do in the user's name. */
export const MCP_MUTANTS = mutantsIn('packages/mcp/src/tools/memory-writes.ts', [
  [
    'assistant-origin',
    'what an assistant writes does not pass for the user’s own word',
    'removed',
    by(TOOLS, 'add_memory: an assistant'),
  ],
  [
    'assistant-rewords',
    'what the user said is not reworded without them',
    { is: 'needed: () => false' },
    by(TOOLS, 'update_memory: the words of the user'),
  ],
  [
    'assistant-confirms',
    'what an assistant wrote is not confirmed by an assistant',
    { is: 'needed: () => false' },
    by(TOOLS, 'confirm_memory: what an assistant wrote'),
  ],
]);
