import type { Engine } from './engine.ts';
import { QueueUnavailable } from './errors.ts';

type Server = Pick<Engine, 'kind' | 'address' | 'diagnose'>;

/**
 * What a failed call of the queue says of its server: that it cannot be used now, whatever the server or the connection to it answered. It is no
 * fault of the job, nor of its user. Our own refusals, BullMQ's (numbers) and mistakes in the program stay as they are.
 */
export function outageOf(error: unknown, { kind, address, diagnose }: Server): unknown {
  const { code, retryable } = (error ?? {}) as { code?: unknown; retryable?: unknown };
  const isOurs = typeof retryable === 'boolean' || typeof code === 'number';
  const isMistake = error instanceof TypeError || error instanceof RangeError || !(error instanceof Error);
  if (isOurs || isMistake) return error;
  const { reason, detail } = diagnose(error);
  return new QueueUnavailable({
    kind,
    address,
    attempts: 1,
    reason: reason === 'error' ? 'out_of_service' : reason,
    detail,
  });
}

/** The same calls, whose failures are as outageOf says. */
export function tellingOutages<T extends object>(calls: T, server: Server): T {
  const told = Object.entries(calls).map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      try {
        return await (call as (...given: unknown[]) => unknown)(...given);
      } catch (error) {
        throw outageOf(error, server);
      }
    },
  ]);
  return Object.fromEntries(told) as T;
}
