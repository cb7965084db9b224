/** Words and bounds that have to be known before a database is opened. This module loads nothing. */

export const WORKSPACE_WORKS = ['insights', 'import', 'projection', 'files'] as const;

/** How fusions are applied: by themselves, after a person said yes, or not at all. */
export const USER_MODES = ['auto', 'review', 'off'] as const;

export const RECALL_LIMIT_MAX = 50;

/** Largest budget, in characters. */
export const RECALL_CHARS_MAX = 1_000_000;

/** What a token may do; each may do what those before it may. */
export const TOKEN_ROLES = ['read', 'write', 'admin'] as const;

export const WEBHOOK_EVENTS = ['run.finished', 'conflict.found', 'fusion.failed'] as const;

/** Steps away from the memory that is asked about that one answer goes. */
export const LINEAGE_DEPTH_MAX = 10;

/** What a person may decide: one of the two stands from now on, or both do. */
export const CONFLICT_CHOICES = ['a', 'b', 'both'] as const;

/** Conflicts that one listing shows at most. */
export const CONFLICT_LIST_MAX = 500;

export const CONFLICT_POLICIES = ['ask', 'newest_wins'] as const;

/** reported: it has not been said yet what it is. open: waits for a person. resolved: settled, by whom stands in resolved_by. */
export const CONFLICT_STATUSES = ['reported', 'open', 'resolved'] as const;
