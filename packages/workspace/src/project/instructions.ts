import type { MemorySettings } from '../backend/types.ts';
import { MEMORY_WORKSPACE_PATH } from '../files/paths.ts';
import { type MemoryInstructionContext, resolveMemoryInstructionContext } from './context.ts';
import { buildMemoryNudge, type MemoryInclusionMode, type RecallHit, withRecalled } from './recalled.ts';

type Builder = (
  rootDir: string,
  settings?: MemorySettings,
  recallHits?: readonly RecallHit[],
  inclusionMode?: MemoryInclusionMode,
) => string;

type Section = (context: MemoryInstructionContext) => string;

const SEARCH_FIRST =
  'Search with `fn_memory_search` first, then fetch with `fn_memory_get` only the line ranges that the search returned.';

/** Where the memory is, for backends that have a place to name; a sentence about what it is for the others. */
function placeOf({ instructionPathHint: hint }: MemoryInstructionContext): string {
  if (hint === null) return 'This project keeps what it has learned in a memory of its own.';
  return `This project keeps what it has learned in \`${hint}\`, and notes of the day in \`${MEMORY_WORKSPACE_PATH}/YYYY-MM-DD.md\`.`;
}

const READ_ONLY_PLACE = 'This project has a memory of what it has learned, for reading only.';

function triage(context: MemoryInstructionContext): string {
  if (!context.capabilities.writable) {
    return `${READ_ONLY_PLACE}

**Before specifying the task:**
1. Consult the project memory for context that bears on it.
2. Incorporate learnings that apply.
`;
  }
  const files =
    context.instructionPathHint === null ? '' : `\`${context.instructionPathHint}\` or any other `;
  return `${placeOf(context)}

**Before specifying the task:**
1. Consult the memory. ${SEARCH_FIRST}
2. Incorporate learnings that apply, and reference patterns and constraints as they are recorded there.
3. What planning itself brings to light and will last goes through \`fn_memory_append\`. Do **not** write ${files}memory files directly.
`;
}

function execution(context: MemoryInstructionContext): string {
  if (!context.capabilities.writable) {
    return `${READ_ONLY_PLACE}

**At the start of execution:**
1. Consult the project memory for context that bears on the task.
2. Apply what you find.
`;
  }
  return `${placeOf(context)}

**At the start of execution:**
1. Consult the memory. ${SEARCH_FIRST}
2. Follow conventions and keep clear of pitfalls that are recorded there.

**At the end of execution (before calling \`fn_task_done()\`):**
1. Ask what of this task later work should know. **If nothing durable was learned, skip the memory update.**
2. Additions go through \`fn_memory_append\`. Choose the scope: \`fn_memory_append(scope="agent")\` for your private operating context, \`fn_memory_append(scope="project")\` for what holds for the whole project.
3. Choose the layer: \`layer="long-term"\` for decisions, conventions and pitfalls that last, \`layer="daily"\` for observations of the day and open ends.
4. Avoid task-specific trivia: no log of what you did, no one-off names or failures that taught nothing.
5. Consolidate: where an entry covers the point already, refine that existing entry instead of adding a second one.

**Format for additions:** one point per line, short, beginning with \`- \`.
`;
}

function reviewer({ capabilities }: MemoryInstructionContext): string {
  const how = capabilities.writable ? ` ${SEARCH_FIRST}` : '';
  return `${READ_ONLY_PLACE.replace(', for reading only', '')}

**During review:**
1. Consult the memory when conventions, pitfalls or earlier decisions may bear on your verdict.${how}
2. Treat what is recorded there as review evidence.
3. Do not update memory during review: for reviewers it is read-only.
`;
}

/** @returns the instructions, empty when there is no memory to read */
function builder(section: Section): Builder {
  return (_rootDir, settings, recallHits, inclusionMode = 'full') => {
    const context = resolveMemoryInstructionContext(settings);
    if (!context.capabilities.readable) return '';
    const text = `\n## Project Memory\n${buildMemoryNudge(inclusionMode)}\n${section(context)}`;
    return withRecalled(text, recallHits);
  };
}

/** What a planner is told about memory. Empty when memory is off. */
export const buildTriageMemoryInstructions: Builder = builder(triage);
/** What an executor is told about memory, before and after its work. Empty when memory is off. */
export const buildExecutionMemoryInstructions: Builder = builder(execution);
/** What a reviewer is told about memory: evidence, never to be changed. Empty when memory is off. */
export const buildReviewerMemoryInstructions: Builder = builder(reviewer);
