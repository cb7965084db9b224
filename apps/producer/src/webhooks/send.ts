import { lookup as resolve } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress, urlProblem } from './address.ts';

/** Why nothing arrived, for the list of deliveries. */
export type SendFailure =
  | 'invalid_url'
  | 'private_address'
  | 'unknown_host'
  | 'redirect'
  | 'refused_status'
  | 'timeout'
  | 'tls_failed'
  | 'connection_failed';

export type SendResult =
  | { status: 'delivered'; httpStatus: number }
  | { status: 'failed'; code: SendFailure; httpStatus: number | null };

export interface SendOptions {
  privateAddresses: boolean;
  /** For the whole attempt, from the name's resolution to the answer's head, ms. Default 10 s. */
  timeoutMs?: number;
  /** Resolves names; default the system's own. */
  lookup?: LookupFunction;
}

const TIMEOUT_MS = 10_000;
/** An answer's body says nothing that we need; a little of it is read so that a receiver can end in peace. */
const BODY_BYTES_MAX = 1_024;

/** A name, or an address, that may not be called. */
class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/**
 * Resolves a name for the connection itself: what is checked here is what is connected to, so that a name which stands for something else a
 * moment later leads nowhere. One private address among several is one too many.
 */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const first = addresses[0];
      if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address))) {
        return callback(new PrivateAddress(), '');
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

/** Posts one JSON body. Follows no redirect. Never throws: whatever happens is the outcome. */
export async function sendWebhook(
  url: string,
  message: { headers: Record<string, string>; body: string },
  options: SendOptions,
): Promise<SendResult> {
  const { privateAddresses, timeoutMs = TIMEOUT_MS, lookup = resolve } = options;
  // The rules may have become stricter since it was registered.
  if (urlProblem(url, privateAddresses) !== null) return failed('invalid_url');
  const to = new URL(url);
  const post = to.protocol === 'https:' ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const request = post(to, {
      method: 'POST',
      // A connection of its own, which ends with the request.
      agent: false,
      lookup: privateAddresses ? lookup : publicOnly(lookup),
      signal,
      headers: {
        ...message.headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(message.body),
        'user-agent': 'slowwave-webhooks',
      },
    });
    request.end(message.body);
    const httpStatus = await statusOf(request);
    if (httpStatus >= 200 && httpStatus < 300) return { status: 'delivered', httpStatus };
    return failed(httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'refused_status', httpStatus);
  } catch (error) {
    return failed(signal.aborted ? 'timeout' : failureOf(error));
  }
}

function failed(code: SendFailure, httpStatus: number | null = null): SendResult {
  return { status: 'failed', code, httpStatus };
}

function statusOf(request: ClientRequest): Promise<number> {
  return new Promise((answered, reject) => {
    request.on('error', reject);
    request.on('response', (response: IncomingMessage) => {
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > BODY_BYTES_MAX) response.destroy();
      });
      // What breaks off behind the head changes nothing.
      response.on('error', () => {});
      answered(response.statusCode ?? 0);
    });
  });
}

/** A class of failure by the code of Node's error; its message names hosts and addresses. */
function failureOf(error: unknown): SendFailure {
  const { code } = error as { code?: unknown };
  if (code === 'PRIVATE_ADDRESS') return 'private_address';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown_host';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (typeof code === 'string' && /CERT|TLS|SSL|SELF_SIGNED|EPROTO/.test(code)) return 'tls_failed';
  return 'connection_failed';
}
