import { isRaw, type Route } from './route.ts';

/** Whether a route takes the header Idempotency-Key: one that writes, and whose body is no stream. */
export function takesKey({ method, role, body }: Route): boolean {
  return method !== 'GET' && role !== 'read' && !isRaw(body);
}

type Codes = Record<number, readonly string[]>;

/** Refusals that any route may answer with, by status: of the service itself, before and behind the route. */
function sharedCodes(declared: Route): Codes {
  const { role, params, query, body } = declared;
  const takesInput = params ?? query ?? body;
  const isKnown = role !== null;
  return {
    400: [...(takesInput ? ['invalid_request'] : []), ...(body ? ['invalid_body'] : [])],
    401: isKnown ? ['not_signed_in'] : [],
    403: isKnown ? ['role_too_low', 'wrong_tenant', 'foreign_origin'] : [],
    408: body && !isRaw(body) ? ['body_too_slow'] : [],
    409: takesKey(declared) ? ['idempotency_in_progress', 'answer_forgotten'] : [],
    413: body ? ['body_too_large'] : [],
    415: body ? ['unsupported_media_type'] : [],
    421: ['unknown_host'],
    422: takesKey(declared) ? ['idempotency_key_reused'] : [],
    429: isKnown ? ['rate_limited'] : [],
    500: ['internal_error'],
    503: isKnown ? ['database_unavailable', 'queue_unavailable'] : [],
  };
}

/** Every refusal of a route, by status, with the codes of its problems. */
export function refusalsOf(declared: Route): [status: number, codes: string[]][] {
  const all = new Map<number, string[]>();
  for (const codes of [declared.refusals ?? {}, sharedCodes(declared)] as Codes[]) {
    for (const [status, list] of Object.entries(codes)) {
      all.set(Number(status), [...new Set([...(all.get(Number(status)) ?? []), ...list])]);
    }
  }
  return [...all].filter(([, codes]) => codes.length > 0).sort(([a], [b]) => a - b);
}
