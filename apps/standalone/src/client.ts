import type {
  BandCounts,
  FolderOwner,
  FusionView,
  ImportSummary,
  MemoryExplanation,
  QuarantinedUser,
  Run,
  ScheduledUser,
} from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import type { ChangedMemory, MemoryChange } from '@slowwave/producer';

/** An answer of the service that is not a success. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
  }
}

/** A run, and what it fused once it is over. */
export interface RunAnswer extends Omit<Run, 'fence'> {
  fusions?: FusionView[];
}

/** A user as the API shows one. */
export type UserStatus = Pick<ScheduledUser, 'tiers' | 'quarantine'> & { bands: BandCounts };

type HoldAction = 'pause' | 'resume';
type MemoryOwner = { tenant: string; user?: string | undefined };

/** Talks to the running service that owns an embedded folder. */
export interface ServiceClient {
  url: string;
  import(body: ReadableStream<Uint8Array>, query: Record<string, string>): Promise<ImportSummary>;
  consolidate(body: {
    tenant: string;
    user: string;
    tier: string;
  }): Promise<{ runId: string; existing: boolean }>;
  status(query: { tenant: string; user: string }): Promise<UserStatus>;
  holdUser(
    action: HoldAction,
    of: { tenant: string; user: string; tiers?: Tier[] | undefined },
  ): Promise<{ paused: Tier[] }>;
  holdTenant(
    action: HoldAction,
    of: { tenant: string; tiers?: Tier[] | undefined },
  ): Promise<{ changed: number }>;
  holdTier(action: HoldAction, tier: Tier): Promise<{ changed: boolean }>;
  quarantine(query: { tenant: string }): Promise<{ users: QuarantinedUser[] }>;
  explain(id: string, of: MemoryOwner): Promise<MemoryExplanation>;
  change(id: string, of: MemoryOwner, change: MemoryChange): Promise<ChangedMemory>;
  release(of: { tenant: string; user: string }): Promise<{ released: boolean }>;
  run(runId: string, query: { tenant: string; user: string; waitSeconds: number }): Promise<RunAnswer>;
}

export function createClient(owner: Pick<FolderOwner, 'url' | 'token'>): ServiceClient {
  const url = owner.url ?? '';
  async function call<T>(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<T> {
    const headers = { authorization: `Bearer ${owner.token}`, ...init.headers };
    let response: Response;
    try {
      response = await fetch(new URL(path, url), { ...init, headers });
    } catch {
      throw new ServiceError(
        0,
        'unreachable',
        `the running service at ${url} does not answer; is it stopping?`,
      );
    }
    const body = (await response.json().catch(() => ({}))) as {
      code?: string;
      detail?: string;
      title?: string;
    };
    if (!response.ok) {
      throw new ServiceError(
        response.status,
        body.code ?? 'refused',
        body.detail ?? body.title ?? `the service answered ${response.status}`,
      );
    }
    return body as T;
  }
  const post = <T>(path: string, body: object) =>
    call<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  return {
    url,
    import: (body, query) =>
      call(`/v1/imports?${new URLSearchParams(query)}`, {
        method: 'POST',
        body,
        duplex: 'half',
        headers: { 'content-type': 'application/octet-stream' },
      }),
    consolidate: (body) => post('/v1/consolidations', body),
    status: ({ tenant, user }) =>
      call(`/v1/users/${encodeURIComponent(user)}?${new URLSearchParams({ tenant })}`),
    holdUser: (action, { user, ...body }) => post(`/v1/users/${encodeURIComponent(user)}/${action}`, body),
    holdTenant: (action, { tenant, tiers }) =>
      post(`/v1/tenants/${encodeURIComponent(tenant)}/${action}`, { tiers }),
    holdTier: (action, tier) => post(`/v1/tiers/${tier}/${action}`, {}),
    quarantine: (query) => call(`/v1/quarantine?${new URLSearchParams(query)}`),
    explain: (id, { tenant, user }) => {
      const query = new URLSearchParams({ tenant, ...(user === undefined ? {} : { user }) });
      return call(`/v1/memories/${encodeURIComponent(id)}/explain?${query}`);
    },
    change: (id, of, { kind, ...how }) =>
      post(`/v1/memories/${encodeURIComponent(id)}/${kind}`, { ...of, ...how }),
    release: ({ tenant, user }) => post(`/v1/users/${encodeURIComponent(user)}/release`, { tenant }),
    async run(runId, { tenant, user, waitSeconds }) {
      const query = new URLSearchParams({ tenant, user, waitSeconds: String(waitSeconds) });
      const answer = await call<Omit<RunAnswer, 'id'>>(`/v1/consolidations/${runId}?${query}`);
      return { ...answer, id: runId };
    },
  };
}
