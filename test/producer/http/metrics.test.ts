import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsers, BEARER, CANARY, HOST, openStage, type Stage } from '../harness.ts';

const WITH_TOKEN = { ...HOST, ...BEARER };

describe('metrics', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const read = (producer: ReturnType<Stage['newProducer']>['producer'], headers = WITH_TOKEN) =>
    producer.app.inject({ method: 'GET', url: '/metrics', headers });

  it('are one number per tier, in the text format, for the operator only', async () => {
    await addUsers(stage.database, 'm', ['ana', 'ben']);
    const { producer, clock, log } = stage.newProducer();
    await producer.startTicks();
    clock.forward(20 * 60_000);
    const reply = await read(producer);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const lines = reply.body.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE slowwave_users_overdue gauge',
        'slowwave_users_overdue{tier="light"} 2',
        'slowwave_users_overdue{tier="deep"} 0',
        'slowwave_users_quarantined{tier="sleep"} 0',
        'slowwave_users_paused{tier="light"} 0',
        'slowwave_tier_paused{tier="light"} 0',
        'slowwave_tick_late{tier="light"} 1',
        'slowwave_part_up{part="database"} 1',
      ]),
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        'slowwave_queue_jobs{queue="light",state="waiting"} 0',
        'slowwave_webhook_deliveries_pending 0',
        'slowwave_webhook_oldest_pending_seconds 0',
      ]),
    );
    expect(lines.at(-1)).toBe('');
    expect(reply.body).not.toMatch(/ana|part="workers"/);
    // The request before is counted by the address as it was declared.
    expect((await read(producer)).body).toContain(
      'slowwave_http_request_duration_seconds_count{method="GET",route="/metrics",status="2xx"} 1',
    );
    expect((await read(producer, HOST as typeof WITH_TOKEN)).statusCode).toBe(401);
    expect(log.lines().filter((line) => line.route === '/metrics' && line.level === 30)).toHaveLength(1);
  });

  it('leave out what nobody knows, and say which part is down', async () => {
    const failing = () => Promise.reject(new Error(CANARY));
    const { producer } = stage.newProducer({
      database: { ...stage.database, asDispatcher: failing },
      queues: { ...stage.queues, ping: failing, nextTick: failing },
      workerHealth: () => Promise.resolve({ ok: false, reasons: [CANARY] }),
    });
    await producer.startTicks().catch(() => {});
    const { statusCode, body } = await read(producer);
    expect(statusCode).toBe(200);
    expect(body).toContain('slowwave_part_up{part="database"} 0\n');
    expect(body).toContain('slowwave_part_up{part="queue"} 0\n');
    expect(body).toContain('slowwave_part_up{part="workers"} 0\n');
    expect(body).not.toMatch(/^slowwave_(?:users|tick_late|webhook_\w*pending)/m);
    expect(body).not.toContain(CANARY);
  });
});
