import type { Setting } from './setting.ts';

/** Traces, costs and webhooks. */
export const OPERATING_SETTINGS = [
  {
    name: 'SLOWWAVE_TRACING',
    kind: 'choice',
    default: 'off',
    choices: ['off', 'otlp'],
    description: 'Where spans go: off (none are made) or otlp (OpenTelemetry over HTTP).',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: 'url',
    default: 'http://localhost:4318',
    schemes: ['http', 'https'],
    description: 'Base of the collector for SLOWWAVE_TRACING=otlp; /v1/traces is added to it.',
  },
  {
    name: 'SLOWWAVE_MODEL_PRICES',
    kind: 'list',
    description:
      'What models cost, as name=input/output in US dollars per million tokens, comma separated, such as some-model=1/5; they go before the prices that this version knows.',
  },
  {
    name: 'SLOWWAVE_WEBHOOK_PRIVATE_ADDRESSES',
    kind: 'choice',
    default: 'refuse',
    choices: ['refuse', 'allow'],
    description:
      'Whether webhooks may go to addresses of private networks and of this machine, and over http; refuse sends to public addresses over https only.',
  },
] as const satisfies readonly Setting[];
