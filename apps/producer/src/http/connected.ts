import type { FastifyRequest } from 'fastify';

/** Does something long for a client: its signal is aborted when the client hangs up or the service stops. */
export async function whileConnected<T>(
  request: FastifyRequest,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  request.raw.socket.once('close', hangUp);
  try {
    return await work(AbortSignal.any([stopping, gone.signal]));
  } finally {
    request.raw.socket.off('close', hangUp);
  }
}
