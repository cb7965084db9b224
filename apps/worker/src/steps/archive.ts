import { ARCHIVE_LIMIT, archiveLowUtility } from '@slowwave/db';
import type { Step } from '../context.ts';
import { ARCHIVE } from '../questions.ts';

/** Archives memories that have become of no use; they stay latest, readable and within reach of a recall that finds nothing else. */
export const archive: Step = {
  name: 'archive',
  asks: [ARCHIVE],
  async run({ look, write, tenant, user, at, runId }) {
    const found = await look.seen(ARCHIVE);
    if (found.belowUtility === found.claimed) return { status: 'done', counts: { ...found } };
    const counts = await write((tx) =>
      archiveLowUtility(tx, { tenant, user, at, runId, limit: ARCHIVE_LIMIT }),
    );
    return { status: 'done', counts: { ...counts } };
  },
};
