import { auditRetrieval } from '@slowwave/db';
import type { Step } from '../context.ts';
import { AUDIT } from '../questions.ts';

const AUDIT_LIMIT = 1_000;

/** Reports prominent memories that nobody asks for, and demotes each a little, at most once in thirty days. */
export const audit: Step = {
  name: 'audit',
  asks: [AUDIT],
  async run({ look, write, tenant, user, at, runId }) {
    const found = await look.seen(AUDIT);
    if (found.left === 0) return { status: 'done', counts: { ...found } };
    const counts = await write((tx) => auditRetrieval(tx, { tenant, user, at, runId, limit: AUDIT_LIMIT }));
    return { status: 'done', counts: { ...counts } };
  },
};
