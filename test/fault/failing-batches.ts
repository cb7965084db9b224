import { randomUUID } from 'node:crypto';
import { MESSAGES_PATH } from '../fakes/messages-server.ts';
import type { Behaviour, RecordedCall } from '../fakes/scripted-server.ts';

const PATH = `${MESSAGES_PATH}/batches`;

interface Batch {
  id: string;
  createdAt: string;
  results: string;
  requests: number;
}

/** One question of a batch, as a call of its own would ask it. */
export type BatchedCall = RecordedCall & { json: Record<string, unknown> };

/** Message batches of the failing model: each is answered when it is taken, and known from then on. */
export interface FailingBatches {
  /** Null where a call is about no batch. */
  answer(call: RecordedCall): Promise<Behaviour | null>;
}

/** @param messageOf what a question is answered with, as a message; null: with an error */
export function createFailingBatches(
  messageOf: (call: BatchedCall) => Promise<unknown | null>,
): FailingBatches {
  const batches: Batch[] = [];
  let serial = 0;

  // Under the host that was asked: there may be a way in between.
  const viewOf = ({ id, createdAt, requests }: Batch, { headers }: Pick<RecordedCall, 'headers'>) => ({
    ...{ id, type: 'message_batch', processing_status: 'ended', created_at: createdAt, ended_at: createdAt },
    request_counts: { processing: 0, succeeded: requests, errored: 0, canceled: 0, expired: 0 },
    ...{ expires_at: createdAt, archived_at: null, cancel_initiated_at: null },
    results_url: `http://${headers.host}${PATH}/${id}/results`,
  });
  const json = (value: unknown): Behaviour => ({ kind: 'raw', body: JSON.stringify(value) });

  async function take({ json: body, ...call }: RecordedCall): Promise<Behaviour> {
    const asked = (body?.requests ?? []) as { custom_id: string; params: Record<string, unknown> }[];
    const lines: string[] = [];
    for (const { custom_id, params } of asked) {
      serial += 1;
      const message = await messageOf({ ...call, index: serial, text: JSON.stringify(params), json: params });
      const result =
        message === null
          ? { type: 'errored', error: { type: 'error', error: { type: 'api_error', message: 'no' } } }
          : { type: 'succeeded', message };
      lines.push(JSON.stringify({ custom_id, result }));
    }
    const batch: Batch = {
      id: `msgbatch_${randomUUID()}`,
      createdAt: new Date().toISOString(),
      results: lines.reverse().join('\n'),
      requests: lines.length,
    };
    batches.unshift(batch);
    return json(viewOf(batch, call));
  }

  return {
    async answer(call) {
      const { pathname } = new URL(call.path, 'http://fake');
      if (pathname === PATH && call.method === 'POST') return take(call);
      if (pathname === PATH)
        return json({
          ...{ has_more: false, first_id: null, last_id: null },
          data: batches.map((batch) => viewOf(batch, call)),
        });
      const [id, what] = pathname.startsWith(`${PATH}/`) ? pathname.slice(PATH.length + 1).split('/') : [];
      if (id === undefined) return null;
      const batch = batches.find((one) => one.id === id);
      if (!batch) return { kind: 'error', status: 404 };
      if (what !== 'results') return json(viewOf(batch, call));
      return { kind: 'raw', body: `${batch.results}\n`, contentType: 'application/x-jsonl' };
    },
  };
}
