import { ARCHIVE_LIMIT, archiveLowUtility } from '@slowwave/db';
import type { Step } from '../context.ts';

/** Archives memories that have become of no use; they stay latest, readable and within reach of a recall that finds nothing else. */
export const archive: Step = {
  name: 'archive',
  async run({ write, tenant, user, at, runId }) {
    const counts = await write((tx) =>
      archiveLowUtility(tx, { tenant, user, at, runId, limit: ARCHIVE_LIMIT }),
    );
    return { status: 'done', counts: { ...counts } };
  },
};
