import type {
  ApiToken,
  FusionDetail,
  FusionView,
  Run,
  RunTotals,
  StepEstimate,
  TokenRole,
  Webhook,
  WebhookEventType,
} from '@slowwave/db';
import type { FusionStatus, RunStatus, Tier } from '@slowwave/fusion';
import type { RecallAnswer, RecallQuestion } from '@slowwave/producer';

type Tenant = { tenant: string };
type Page = { limit: number; cursor?: string | undefined };

/** A run as lists show it. */
export interface RunSummary extends Omit<Run, 'id' | 'fence' | 'report'> {
  runId: string;
  finished: boolean;
  totals: RunTotals;
}

/** One run with everything that is known of it. */
export interface RunDetail extends RunSummary {
  report: Run['report'];
  changes: { total: number; undone: number; undoable: number };
  fusions: FusionView[];
}

export interface CancelledRun {
  runId: string;
  status: 'cancelled' | 'cancelling';
  already: boolean;
}

export type RunsQuestion = Tenant &
  Page & { user?: string | undefined; tier?: Tier | undefined; status?: RunStatus | undefined };
export type FusionsQuestion = Tenant &
  Page & {
    user?: string | undefined;
    tier?: Tier | undefined;
    status?: FusionStatus | undefined;
    run?: string | undefined;
  };

/** One page of what users would ask of models in their next night. */
export interface EstimatePage {
  users: { user: string; steps: StepEstimate[] }[];
  nextCursor: string | null;
}

export interface RunsPage extends Tenant {
  runs: RunSummary[];
  nextCursor: string | null;
}
export interface FusionsPage extends Tenant {
  fusions: FusionView[];
  nextCursor: string | null;
}
export interface TokensPage extends Tenant {
  tokens: ApiToken[];
  nextCursor: string | null;
}
export type ShownWebhook = Omit<Webhook, 'tenant'>;
export interface WebhookTest extends Tenant {
  id: string;
  delivered: boolean;
  status: number | null;
  errorCode: string | null;
  durationMs: number;
}

/** What the running service does for whoever operates it. */
export interface OperatorCalls {
  recall(question: RecallQuestion): Promise<RecallAnswer>;
  estimate(of: Tenant & Page & { user?: string | undefined }): Promise<EstimatePage>;
  runs(of: RunsQuestion): Promise<RunsPage>;
  showRun(runId: string, of: Tenant & { user: string }): Promise<RunDetail>;
  cancelRun(runId: string, of: Tenant & { user: string; by: string }): Promise<CancelledRun>;
  fusions(of: FusionsQuestion): Promise<FusionsPage>;
  showFusion(key: string, of: Tenant & { user: string }): Promise<FusionDetail>;
  tokens(of: Tenant & Page): Promise<TokensPage>;
  makeToken(
    given: Tenant & { name: string; role: TokenRole; speaksForUser?: boolean; expiresAt: number | null },
  ): Promise<Tenant & { secret: string; token: ApiToken }>;
  revokeToken(id: string, of: Tenant): Promise<Tenant & { token: ApiToken }>;
  webhooks(of: Tenant): Promise<Tenant & { webhooks: ShownWebhook[] }>;
  addWebhook(
    given: Tenant & { url: string; events: readonly WebhookEventType[] },
  ): Promise<Tenant & { secret: string; webhook: ShownWebhook }>;
  removeWebhook(id: string, of: Tenant): Promise<void>;
  testWebhook(id: string, of: Tenant): Promise<WebhookTest>;
}

/** One request to the service. */
type Call = <T>(path: string, init?: RequestInit) => Promise<T>;

function queryOf(fields: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

export function operatorCalls(call: Call): OperatorCalls {
  const post = <T>(path: string, body: object) =>
    call<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const one = (folder: string, id: string) => `/v1/${folder}/${encodeURIComponent(id)}`;
  return {
    runs: (of) => call(`/v1/runs?${queryOf({ ...of })}`),
    showRun: (runId, of) => call(`${one('runs', runId)}?${queryOf(of)}`),
    cancelRun: (runId, of) => post(`${one('consolidations', runId)}/cancel`, of),
    recall: (question) => post('/v1/recall', question),
    estimate: (of) => call(`/v1/estimate?${queryOf({ ...of })}`),
    fusions: (of) => call(`/v1/fusions?${queryOf({ ...of })}`),
    showFusion: (key, of) => call(`${one('fusions', key)}?${queryOf(of)}`),
    tokens: (of) => call(`/v1/tokens?${queryOf({ ...of })}`),
    makeToken: (given) => post('/v1/tokens', given),
    revokeToken: (id, of) => call(`${one('tokens', id)}?${queryOf(of)}`, { method: 'DELETE' }),
    webhooks: (of) => call(`/v1/webhooks?${queryOf(of)}`),
    addWebhook: (given) => post('/v1/webhooks', given),
    async removeWebhook(id, of) {
      await call(`${one('webhooks', id)}?${queryOf(of)}`, { method: 'DELETE' });
    },
    testWebhook: (id, of) => post(`${one('webhooks', id)}/test`, of),
  };
}
