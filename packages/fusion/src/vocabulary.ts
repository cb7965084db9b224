/** The words of memories and runs, for a command line that loads nothing else before a command runs. */
export { CATEGORIES, FUSION_STATUSES, MEMORY_TYPES, RUN_STATUSES, TIERS, type Tier } from './memory.ts';
export { CHARS_PER_TOKEN } from './recall/budget.ts';
