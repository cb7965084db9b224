import type {
  ApproveResult,
  BandCounts,
  ConflictChoice,
  ConflictPolicy,
  ConflictView,
  FolderOwner,
  ForgetResult,
  FusionView,
  ImportSummary,
  MemoryExplanation,
  PreviewView,
  QuarantinedUser,
  RejectResult,
  ResolvedConflict,
  ReviewView,
  Run,
  ScheduledUser,
  StoredEvaluation,
  TenantSettings,
  UserMode,
} from '@slowwave/db';
import type { EvaluationReport, Tier } from '@slowwave/fusion';
import type { ChangedMemory, MemoryChange, WorkspaceCalls } from '@slowwave/producer';
import { type JournalCalls, journalCalls } from './journal-calls.ts';
import { type OperatorCalls, operatorCalls } from './operator-calls.ts';
import { withoutOwnTenant } from './remote.ts';
import { workspaceClient } from './workspace-client.ts';

/** An answer of the service that is not a success. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  /** Further members of the answer. */
  readonly more: Record<string, unknown>;
  constructor(status: number, code: string, detail: string, more: Record<string, unknown> = {}) {
    super(detail);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
    this.more = more;
  }
}

/** How a decision about a fusion ended. */
export type Decided = Extract<ApproveResult, { status: 'applied' }> | RejectResult;

/** A run, and what it fused once it is over. */
export interface RunAnswer extends Omit<Run, 'fence'> {
  fusions?: FusionView[];
}

/** A user as the API shows one. */
export type UserStatus = Pick<ScheduledUser, 'tiers' | 'quarantine'> & { bands: BandCounts };

type HoldAction = 'pause' | 'resume';
type MemoryOwner = { tenant: string; user?: string | undefined };

type ServiceRequest = RequestInit & { duplex?: 'half' };
type Problem = { code?: string; detail?: string; title?: string };

function unreachable(url: string, remote: boolean): ServiceError {
  const why = remote
    ? `the service at ${url} does not answer: is the address right, and may this machine reach it?`
    : `the running service at ${url} does not answer; is it stopping?`;
  return new ServiceError(0, 'unreachable', why);
}

function refusalOf(status: number, problem: Problem): ServiceError {
  const { code = 'refused', detail, title } = problem;
  const said = detail ?? title ?? `the service answered ${status}`;
  return new ServiceError(status, code, said, problem);
}

/** Talks to a running service: the one that owns an embedded folder, or one somewhere else. */
export interface ServiceClient extends JournalCalls, OperatorCalls {
  url: string;
  export(of: MemoryOwner): Promise<AsyncIterable<Uint8Array>>;
  workspaces: WorkspaceCalls;
  import(body: ReadableStream<Uint8Array>, query: Record<string, string>): Promise<ImportSummary>;
  consolidate(body: {
    tenant: string;
    user: string;
    tier: string;
    preview?: boolean;
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
  /** @param change null: they are only read */
  tenantSettings(of: { tenant: string }, change: TenantSettings | null): Promise<TenantSettings>;
  storeEvaluation(of: { tenant: string }, evaluation: EvaluationReport): Promise<StoredEvaluation>;
  quarantine(query: { tenant: string }): Promise<{ users: QuarantinedUser[] }>;
  explain(id: string, of: MemoryOwner): Promise<MemoryExplanation>;
  change(id: string, of: MemoryOwner, change: MemoryChange): Promise<ChangedMemory>;
  release(of: { tenant: string; user: string }): Promise<{ released: boolean }>;
  forget(
    what: 'memory' | 'session' | 'user',
    id: string,
    of: { tenant: string; user: string; dryRun: boolean; by: string },
  ): Promise<ForgetResult>;
  conflicts(of: MemoryOwner & { status: string; limit: number }): Promise<{ conflicts: ConflictView[] }>;
  resolveConflict(
    id: string,
    of: { tenant: string; user: string; keep: ConflictChoice; note?: string; by: string },
  ): Promise<ResolvedConflict>;
  setConflictPolicy(of: {
    tenant: string;
    user: string;
    policy: ConflictPolicy;
  }): Promise<{ policy: ConflictPolicy }>;
  preview(runId: string, query: { tenant: string; user: string }): Promise<PreviewView>;
  reviews(query: {
    tenant: string;
    user?: string | undefined;
    limit: number;
  }): Promise<{ reviews: ReviewView[] }>;
  decide(
    action: 'approve' | 'reject',
    key: string,
    body: { tenant: string; user: string; by: string },
  ): Promise<Decided>;
  mode(of: { tenant: string; user: string; mode: UserMode }): Promise<{ mode: UserMode }>;
  run(runId: string, query: { tenant: string; user: string; waitSeconds: number }): Promise<RunAnswer>;
}

/** @param owner.remote it is somewhere else, and not the one that owns the folder of this machine */
export function createClient(
  owner: Pick<FolderOwner, 'url' | 'token'> & { remote?: boolean },
): ServiceClient {
  const url = owner.url ?? '';
  async function send(address: string, init: ServiceRequest = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${owner.token}`, ...init.headers };
    const { path, body } = withoutOwnTenant(address, init.body);
    let response: Response;
    try {
      response = await fetch(new URL(path, url), {
        ...init,
        headers,
        ...(body === undefined || body === null ? {} : { body: body as NonNullable<RequestInit['body']> }),
      });
    } catch {
      throw unreachable(url, owner.remote ?? false);
    }
    if (response.ok) return response;
    throw refusalOf(response.status, (await response.json().catch(() => ({}))) as Problem);
  }
  async function call<T>(path: string, init: ServiceRequest = {}): Promise<T> {
    const response = await send(path, init);
    return (response.status === 204 ? {} : await response.json().catch(() => ({}))) as T;
  }
  const post = <T>(path: string, body: object) =>
    call<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  return {
    url,
    ...journalCalls(call),
    workspaces: workspaceClient(call),
    ...operatorCalls(call),
    async export({ tenant, user }) {
      const query = new URLSearchParams({ tenant, ...(user === undefined ? {} : { user }) });
      const { body } = await send(`/v1/export?${query}`);
      return body as unknown as AsyncIterable<Uint8Array>;
    },
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
    tenantSettings: ({ tenant }, change) => {
      const path = `/v1/tenants/${encodeURIComponent(tenant)}/settings`;
      if (change === null) return call(path);
      const headers = { 'content-type': 'application/json' };
      return call(path, { method: 'PUT', body: JSON.stringify(change), headers });
    },
    storeEvaluation: ({ tenant }, evaluation) => {
      const headers = { 'content-type': 'application/json' };
      return call(`/v1/tenants/${encodeURIComponent(tenant)}/evaluation`, {
        method: 'PUT',
        body: JSON.stringify(evaluation),
        headers,
      });
    },
    quarantine: (query) => call(`/v1/quarantine?${new URLSearchParams(query)}`),
    explain: (id, { tenant, user }) => {
      const query = new URLSearchParams({ tenant, ...(user === undefined ? {} : { user }) });
      return call(`/v1/memories/${encodeURIComponent(id)}/explain?${query}`);
    },
    change: (id, of, { kind, ...how }) =>
      post(`/v1/memories/${encodeURIComponent(id)}/${kind}`, { ...of, ...how }),
    forget: (what, id, { user, ...body }) => {
      const path = { memory: 'memories', session: 'sessions', user: 'users' }[what];
      // Whoever comes here was asked already.
      const owner = what === 'user' ? { confirm: user } : { user };
      return post(`/v1/${path}/${encodeURIComponent(id)}/forget`, { ...body, ...owner });
    },
    release: ({ tenant, user }) => post(`/v1/users/${encodeURIComponent(user)}/release`, { tenant }),
    conflicts: ({ tenant, user, status, limit }) => {
      const query = { tenant, status, limit: String(limit), ...(user === undefined ? {} : { user }) };
      return call(`/v1/conflicts?${new URLSearchParams(query)}`);
    },
    resolveConflict: (id, body) => post(`/v1/conflicts/${encodeURIComponent(id)}/resolve`, body),
    setConflictPolicy: ({ user, ...body }) =>
      post(`/v1/users/${encodeURIComponent(user)}/conflict-policy`, body),
    preview: (runId, query) => call(`/v1/runs/${runId}/preview?${new URLSearchParams(query)}`),
    reviews: ({ tenant, user, limit }) => {
      const query = { tenant, limit: String(limit), ...(user === undefined ? {} : { user }) };
      return call(`/v1/reviews?${new URLSearchParams(query)}`);
    },
    decide: (action, key, body) => post(`/v1/fusions/${key}/${action}`, body),
    mode: ({ user, ...body }) => post(`/v1/users/${encodeURIComponent(user)}/mode`, body),
    async run(runId, { tenant, user, waitSeconds }) {
      const query = new URLSearchParams({ tenant, user, waitSeconds: String(waitSeconds) });
      const answer = await call<Omit<RunAnswer, 'id'>>(`/v1/consolidations/${runId}?${query}`);
      return { ...answer, id: runId };
    },
  };
}
