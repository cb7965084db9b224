/** A change of a file by a run or a writer. */
export interface DocumentChange {
  path: string;
  /** Null for a writer outside of a run. */
  runId: string | null;
  /** What stood there, null when nothing did. */
  content: string | null;
  /** SHA-256 of what takes its place, hex; '' for nothing. */
  sha256After: string;
  by: string;
}

/** Where what stood in the files of a folder before they were changed is kept. */
export interface DocumentHistory {
  /** Called before the change; of several by one run to one path the first content stays, with the hash of the last. */
  keep(change: DocumentChange): Promise<void>;
  before(runId: string, path: string): Promise<{ content: string | null; sha256After: string | null } | null>;
}

/** A history that ends with this process; the service keeps it in its database. */
export function createProcessHistory(): DocumentHistory {
  const kept = new Map<string, { content: string | null; sha256After: string | null }>();
  const key = (runId: string, path: string) => JSON.stringify([runId, path]);
  return {
    async keep({ runId, path, content, sha256After }) {
      if (runId === null) return;
      const first = kept.get(key(runId, path));
      kept.set(key(runId, path), { content: first ? first.content : content, sha256After });
    },
    async before(runId, path) {
      return kept.get(key(runId, path)) ?? null;
    },
  };
}
