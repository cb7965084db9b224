import { isMemoryError } from '../backend/errors.ts';
import type { WorkspaceFiles } from '../files/port.ts';
import { auditOf } from './audit.ts';
import { renderMemoryAuditMarkdown } from './audit-render.ts';
import { type AuditState, readAuditState, renderAuditState } from './audit-state.ts';
import { AUDIT_FILE, AUDIT_STATE_FILE, INSIGHTS_FILE, WORKING_FILE } from './sources.ts';
import type { MemoryAuditReport } from './types.ts';

const WRITES = 3;

/** The report about the memory of one workspace, kept in its files. */
export interface AuditTrail {
  /** The report as of now; of the last run that was recorded, where none is given. @throws MemoryBackendError when files cannot be read */
  report(run?: Pick<AuditState, 'extraction' | 'pruning'>): Promise<MemoryAuditReport>;
  /** Records how a run went and writes the report. @returns false when that did not succeed, which is no reason for the run to fail */
  record(run: Pick<AuditState, 'extraction' | 'pruning'>): Promise<boolean>;
}

export function createAuditTrail(options: {
  files: WorkspaceFiles;
  /** Epoch ms. */
  now: () => number;
  by: string;
}): AuditTrail {
  const { files, now, by } = options;
  const textOf = async (path: string) => (await files.read(path))?.content ?? null;

  /** Nobody else's words are in these files: whoever wrote them meanwhile wrote about an earlier run. */
  async function put(path: string, content: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const standing = await files.read(path);
      if (standing?.content === content) return;
      try {
        await files.write(path, content, { expected: standing?.sha256 ?? null, by });
        return;
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT') || attempt === WRITES) throw error;
      }
    }
  }

  async function report({ extraction, pruning }: Pick<AuditState, 'extraction' | 'pruning'> = {}) {
    const known = extraction && pruning ? null : readAuditState(await textOf(AUDIT_STATE_FILE));
    return auditOf({
      working: await textOf(WORKING_FILE),
      insights: await textOf(INSIGHTS_FILE),
      extraction: extraction ?? known?.extraction,
      pruning: pruning ?? known?.pruning,
      at: now(),
    });
  }

  return {
    report,
    async record(run) {
      try {
        await put(AUDIT_STATE_FILE, renderAuditState({ ...run, updatedAt: new Date(now()).toISOString() }));
        await put(AUDIT_FILE, renderMemoryAuditMarkdown(await report(run)));
        return true;
      } catch (error) {
        if (!isMemoryError(error)) throw error;
        return false;
      }
    },
  };
}
