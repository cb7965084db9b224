import { describe, expect, it } from 'vitest';
import { everyMetric } from './every-metric.ts';
import { lintMetrics, readMetrics } from './metrics-lint.ts';

describe('the metrics', () => {
  it('follow the conventions of Prometheus', async () => {
    const text = await everyMetric();
    expect(readMetrics(text).size).toBeGreaterThan(40);
    expect(lintMetrics(text)).toEqual([]);
  });

  it('name no tenant, no user and no run', async () => {
    const own = [...readMetrics(await everyMetric()).values()].filter(({ name }) =>
      name.startsWith('slowwave_'),
    );
    const labels = own.flatMap((family) => [...family.labels]);
    expect([...new Set(labels)].sort()).toEqual(
      [
        'change',
        'direction',
        'label',
        'lane',
        'le',
        'method',
        'model',
        'outcome',
        'part',
        'provider',
        'queue',
        'reason',
      ]
        .concat(['route', 'scope', 'state', 'status', 'step', 'tier', 'unit'])
        .sort(),
    );
  });
});

describe('the linter', () => {
  const metric = (name: string, type: string, sample = `${name} 1`) =>
    `# HELP ${name} Something.\n# TYPE ${name} ${type}\n${sample}\n`;

  it('tells each kind of mistake', () => {
    const mistakes: [string, RegExp][] = [
      ['# TYPE a_total counter\na_total 1\n', /no help text/],
      ['# HELP a Something.\na 1\n', /no type/],
      [metric('a_milliseconds', 'gauge'), /base unit "seconds" instead of "milliseconds"/],
      [metric('a_kilobytes', 'gauge'), /base unit "bytes"/],
      [metric('a_hours', 'gauge'), /base unit "seconds"/],
      [metric('a_requests', 'counter'), /should have "_total"/],
      [metric('a_total', 'gauge'), /only counters/],
      [metric('a_bucket', 'gauge'), /only histograms should have "_bucket"/],
      [metric('a_count', 'gauge'), /"_count"/],
      [metric('a_sum', 'gauge'), /"_sum"/],
      [metric('a', 'gauge', 'a{le="1"} 1'), /label "le"/],
      [metric('a', 'gauge', 'a{quantile="0.5"} 1'), /label "quantile"/],
      [metric('a:b', 'gauge'), /":"/],
      [metric('aRequest', 'gauge'), /camelCase/],
      [metric('a', 'gauge', 'a{userId="1"} 1'), /camelCase/],
      [metric('a_ms', 'gauge'), /abbreviated/],
      [metric('a_gauge', 'gauge'), /type/],
      [metric('a', 'gauge', 'a{__x="1"} 1'), /reserved/],
    ];
    for (const [text, told] of mistakes) expect(lintMetrics(text).join('\n'), text).toMatch(told);
  });

  it('takes what is right, and refuses what is no metric at all', () => {
    const histogram = 'a_seconds_bucket{le="+Inf"} 1\na_seconds_sum 0.5\na_seconds_count 1';
    expect(lintMetrics(metric('a_seconds', 'histogram', histogram))).toEqual([]);
    expect(lintMetrics(metric('a_bytes_total', 'counter', 'a_bytes_total{x="a \\" b"} 1.5e3'))).toEqual([]);
    expect(() => lintMetrics('a one\n')).toThrow('not a sample');
    expect(() => lintMetrics(metric('a', 'gauge') + metric('a', 'gauge'))).toThrow('declared twice');
  });
});
