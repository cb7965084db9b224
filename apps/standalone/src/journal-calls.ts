import type { ChangeSetView, EditResult, Lineage, MemoryEdit, UndoResult, UndoTarget } from '@slowwave/db';

type Owner = { tenant: string; user: string };

/** What the running service knows of the journal. */
export interface JournalCalls {
  takeBack(
    action: 'undo' | 'redo',
    target: UndoTarget,
    of: Owner & { dryRun: boolean; by: string },
  ): Promise<UndoResult>;
  changeSets(
    of: Owner & { limit: number; before?: string; memory?: string },
  ): Promise<{ changeSets: ChangeSetView[] }>;
  edit(id: string, of: Owner & MemoryEdit & { by: string }): Promise<EditResult>;
  lineage(id: string, of: Owner & { depth: number }): Promise<Lineage>;
}

/** One request to the service. */
type Call = <T>(path: string, init?: RequestInit) => Promise<T>;

const ADDRESS = { fusion: 'fusions', run: 'runs', changeSet: 'change-sets' } as const;

function addressOf(target: UndoTarget): string {
  const [[kind, id]] = Object.entries(target) as [[keyof typeof ADDRESS, string]];
  return `/v1/${ADDRESS[kind]}/${encodeURIComponent(id)}`;
}

export function journalCalls(call: Call): JournalCalls {
  const send = <T>(method: 'POST' | 'PATCH', path: string, body: object) =>
    call<T>(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  return {
    takeBack: (action, target, of) => send('POST', `${addressOf(target)}/${action}`, of),
    changeSets: ({ tenant, user, limit, before, memory }) => {
      const query = new URLSearchParams({
        tenant,
        limit: String(limit),
        ...(before === undefined ? {} : { before }),
        ...(memory === undefined ? {} : { memory }),
      });
      return call(`/v1/users/${encodeURIComponent(user)}/change-sets?${query}`);
    },
    edit: (id, of) => send('PATCH', `/v1/memories/${encodeURIComponent(id)}`, of),
    lineage: (id, { tenant, user, depth }) => {
      const query = new URLSearchParams({ tenant, user, depth: String(depth) });
      return call(`/v1/memories/${encodeURIComponent(id)}/lineage?${query}`);
    },
  };
}
