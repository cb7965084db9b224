import { Counter, Gauge, Histogram, type Registry } from '@slowwave/telemetry';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What the service is like when somebody asks, as far as it is known. */
export interface ServiceGauges {
  overdue: Gauge<'tier'>;
  quarantined: Gauge<'tier'>;
  paused: Gauge<'tier'>;
  tierPaused: Gauge<'tier'>;
  tickLate: Gauge<'tier'>;
  partUp: Gauge<'part'>;
  queueJobs: Gauge<'queue' | 'state'>;
  webhooksPending: Gauge;
  webhookOldest: Gauge;
}

/** The numbers of a producer. Labels are words of closed lists and addresses as they were declared. */
export interface ProducerMetrics {
  registry: Registry;
  gauges: ServiceGauges;
  requestSeconds: Histogram<'method' | 'route' | 'status'>;
  webhookAttempts: Counter<'outcome'>;
}

export function createProducerMetrics(registry: Registry): ProducerMetrics {
  const registers = [registry];
  return {
    registry,
    gauges: createGauges(registry),
    requestSeconds: new Histogram({
      name: 'slowwave_http_request_duration_seconds',
      help: 'How long requests took, from their first byte to the last of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'slowwave_webhook_attempts_total',
      help: 'Attempts to deliver an event, by how they ended: delivered, failed (tried again later) or gave_up.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

function createGauges(registry: Registry): ServiceGauges {
  const registers = [registry];
  const perTier = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['tier'] as const, registers });
  return {
    overdue: perTier(
      'slowwave_users_overdue',
      'Users who have been due for longer than they should, with nothing holding them back.',
    ),
    quarantined: perTier(
      'slowwave_users_quarantined',
      'Users for whom nothing runs until an operator releases them.',
    ),
    paused: perTier('slowwave_users_paused', 'Users who are paused, one by one or with their tenant.'),
    tierPaused: perTier('slowwave_tier_paused', '1 for a tier that is paused for everybody.'),
    tickLate: perTier(
      'slowwave_tick_late',
      '1 for a tier whose next beat is lost or overdue, or whose last one failed.',
    ),
    partUp: new Gauge({
      name: 'slowwave_part_up',
      help: '1 for a part of the service that answers and can do its work.',
      labelNames: ['part'],
      registers,
    }),
    queueJobs: new Gauge({
      name: 'slowwave_queue_jobs',
      help: 'Jobs in a queue, by where they stand.',
      labelNames: ['queue', 'state'],
      registers,
    }),
    webhooksPending: new Gauge({
      name: 'slowwave_webhook_deliveries_pending',
      help: 'Events that wait for an attempt to deliver them.',
      registers,
    }),
    webhookOldest: new Gauge({
      name: 'slowwave_webhook_oldest_pending_seconds',
      help: 'Since when the oldest event waits that has not been delivered; 0 when none waits.',
      registers,
    }),
  };
}
