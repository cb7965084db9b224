import type { BandCounts, FolderOwner, FusionView, ImportSummary, Run, ScheduledUser } from '@slowwave/db';

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
export type UserStatus = Pick<ScheduledUser, 'tiers'> & { bands: BandCounts };

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
  return {
    url,
    import: (body, query) =>
      call(`/v1/imports?${new URLSearchParams(query)}`, {
        method: 'POST',
        body,
        duplex: 'half',
        headers: { 'content-type': 'application/octet-stream' },
      }),
    consolidate: (body) =>
      call('/v1/consolidations', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    status: ({ tenant, user }) =>
      call(`/v1/users/${encodeURIComponent(user)}?${new URLSearchParams({ tenant })}`),
    async run(runId, { tenant, user, waitSeconds }) {
      const query = new URLSearchParams({ tenant, user, waitSeconds: String(waitSeconds) });
      const answer = await call<Omit<RunAnswer, 'id'>>(`/v1/consolidations/${runId}?${query}`);
      return { ...answer, id: runId };
    },
  };
}
