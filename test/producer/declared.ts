import { isRaw, type Route, refusalsOf } from '@slowwave/api';
import type { Producer } from '@slowwave/producer';
import { BEARER } from './harness.ts';

export interface Asked {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Told<Body> {
  status: number;
  /** Of a success as the route declares it, else a problem. */
  body: Body & { code: string; detail: string };
  headers: Headers;
}

/**
 * Calls declared routes of a producer over real connections. An answer that is not exactly as its route declares it is an error, and so
 * is a refusal that it does not declare.
 */
export async function callerOf(producer: Producer) {
  const { url } = await producer.listen();
  return async <R extends Route>(declared: R, asked: Asked = {}): Promise<Told<Record<string, unknown>>> => {
    const { params = {}, query = {}, body, headers = BEARER } = asked;
    const path = declared.path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const reply = await fetch(`${url}${path}?${search}`, {
      method: declared.method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const told = (await reply.json()) as Told<Record<string, unknown>>['body'];
    requireDeclared(declared, reply.status, told);
    return { status: reply.status, body: told, headers: reply.headers };
  };
}

/** @throws Error when the answer is none that the route declares */
export function requireDeclared(declared: Route, status: number, told: unknown): void {
  const where = `${declared.method} ${declared.path} answered ${status}`;
  if (status < 400) {
    const answer = declared.answers[status as 200];
    if (!answer || answer.schema === null || isRaw(answer.schema)) throw new Error(`${where}: not declared`);
    const read = answer.schema.safeParse(told);
    if (!read.success) throw new Error(`${where}, not as declared: ${read.error.message}`);
    return;
  }
  const { code } = told as { code: string };
  const codes = refusalsOf(declared).find(([refused]) => refused === status)?.[1];
  if (!codes?.includes(code)) throw new Error(`${where} with ${code}: not declared`);
}
