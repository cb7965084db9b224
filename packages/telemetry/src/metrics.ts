import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Gauges of the library whose names say that they were counters. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * A registry of one process.
 * @param options.process also memory, processor and event loop of this process: once per process
 */
export function createRegistry(options: { process: boolean }): Registry {
  const registry = new Registry();
  if (!options.process) return registry;
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}
