/** What is sent as it is: a text, bytes, or a stream of them. */
export type RawBody = string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** How one operation is called. */
export interface Operation {
  method: string;
  /** With parameters as in /v1/memories/{id}. */
  path: string;
  /** Names of the fields of the input that go into the address; the others are the body. */
  params: readonly string[];
  query: readonly string[];
  body: 'none' | 'json' | 'raw';
  contentType: string | null;
  answer: 'none' | 'json' | 'text' | 'stream';
  /** Statuses of answers that are no problems. */
  statuses: readonly number[];
  /** Whether it takes an Idempotency-Key. */
  keyed: boolean;
  /** The field of the answer with the items of a page; null for what is no list. */
  list: string | null;
}

export interface CallOptions {
  /** Ends the call, and the waiting between its attempts. */
  signal?: AbortSignal;
  /** Absent: one of the client's own for each call. */
  idempotencyKey?: string;
}

type Input = Readonly<Record<string, unknown>>;

/** The request that an operation is, for an input. @throws TypeError for an input that has no address */
export function requestOf(
  operation: Operation,
  input: Input,
): { path: string; headers: Record<string, string>; body: RawBody | null } {
  const { params, query, body: kind, contentType } = operation;
  const path = params.reduce(
    (address, name) => address.replace(`{${name}}`, partOf(name, input[name])),
    operation.path,
  );
  const search = new URLSearchParams(
    query.flatMap((name): [string, string][] =>
      input[name] === undefined ? [] : [[name, String(input[name])]],
    ),
  ).toString();
  const address = search === '' ? path : `${path}?${search}`;
  if (kind === 'none') return { path: address, headers: {}, body: null };
  const headers = { 'content-type': contentType ?? 'application/json' };
  if (kind === 'raw') return { path: address, headers, body: input.body as RawBody };
  const inAddress = new Set([...params, ...query]);
  const rest = Object.entries(input).filter(([name]) => !inAddress.has(name));
  return { path: address, headers, body: JSON.stringify(Object.fromEntries(rest)) };
}

/** What URLs read as "here" and "up" cannot be told from such a part of an address. */
function partOf(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`${name} cannot stand in an address: it is empty, "." or ".."`);
  }
  return encodeURIComponent(text);
}
