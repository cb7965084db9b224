import { TIERS, type Tier } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import type { Observation } from './observe.ts';

/** A gauge with its samples; a sample that is not known is left out. */
interface Gauge {
  name: string;
  help: string;
  label: string;
  samples: [label: string, value: number | boolean | undefined][];
}

/** The same as /health/ready, for a system that collects numbers: the text format of Prometheus. Always answered. */
export function registerMetrics(app: FastifyInstance, observe: () => Promise<Observation>): void {
  app.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return gaugesOf(await observe())
      .map(textOf)
      .join('');
  });
}

function gaugesOf({ load, ping, late, workers }: Observation): Gauge[] {
  const perTier = (value: (tier: Tier) => number | boolean | undefined) =>
    TIERS.map((tier): Gauge['samples'][number] => [tier, value(tier)]);
  const loads = load.ok ? load.value : undefined;
  return [
    {
      name: 'slowwave_users_overdue',
      help: 'Users who have been due for longer than they should, with nothing holding them back.',
      label: 'tier',
      samples: perTier((tier) => loads?.[tier].overdue),
    },
    {
      name: 'slowwave_users_quarantined',
      help: 'Users for whom nothing runs until somebody releases them.',
      label: 'tier',
      samples: perTier((tier) => loads?.[tier].quarantined),
    },
    {
      name: 'slowwave_users_paused',
      help: 'Users who are paused, one by one or with their tenant.',
      label: 'tier',
      samples: perTier((tier) => loads?.[tier].paused),
    },
    {
      name: 'slowwave_tier_paused',
      help: '1 for a tier that is paused for everybody.',
      label: 'tier',
      samples: perTier((tier) => loads?.[tier].tierPaused),
    },
    {
      name: 'slowwave_tick_late',
      help: '1 for a tier whose next beat is lost or overdue.',
      label: 'tier',
      samples: perTier((tier) => (late.ok ? late.value.includes(tier) : undefined)),
    },
    {
      name: 'slowwave_part_up',
      help: '1 for a part of the service that answers and can do its work.',
      label: 'part',
      samples: [
        ['database', load.ok],
        ['queue', ping.ok],
        ['workers', workers === null ? undefined : workers.ok && workers.value.ok],
      ],
    },
  ];
}

// Names and labels are constants of ours, so nothing has to be escaped.
function textOf({ name, help, label, samples }: Gauge): string {
  const lines = samples.flatMap(([value, sample]) =>
    sample === undefined ? [] : [`${name}{${label}="${value}"} ${Number(sample)}\n`],
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
