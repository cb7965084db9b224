import { describe, expect, it } from 'vitest';
import { everyMetric } from './every-metric.ts';
import { readMetrics } from './metrics-lint.ts';
import { readText } from './repository-files.ts';

const RULES = readText('ops/prometheus/alerts.yml');
const BOARD = JSON.parse(readText('ops/grafana/slowwave.json')) as {
  panels: {
    id: number;
    title: string;
    type: string;
    targets?: { expr: string }[];
    gridPos: Record<'x' | 'w', number>;
  }[];
};
const RUNBOOKS = readText('docs/alerts.md');

/** One rule of the file, with the lines below its name. */
const alerts = RULES.split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => {
    const name = /^\w+/.exec(text)?.[0] ?? '';
    const expr = /^ {8}expr:(?: >-)?([\s\S]*?)^ {8}\w+:/m.exec(text)?.[1]?.trim() ?? '';
    return { name, expr, text };
  });
const queries = BOARD.panels.flatMap(({ title, targets }) =>
  (targets ?? []).map(({ expr }) => ({ title, expr })),
);

/** Names of metrics in a query, and the labels that it asks them for. */
function metricsIn(expr: string): string[] {
  return [...expr.matchAll(/\b((?:slowwave|process|nodejs)_\w+)/g)].map((match) => match[1]!);
}

describe('the alert rules and the dashboard', () => {
  it('ask for metrics that exist, by labels that they have', async () => {
    const families = readMetrics(await everyMetric());
    const samples = new Map(
      [...families.values()].flatMap((family) => [...family.samples].map((name) => [name, family])),
    );
    expect(alerts.length).toBeGreaterThan(10);
    expect(queries.length).toBeGreaterThan(25);
    for (const { expr } of [...alerts, ...queries]) {
      expect(metricsIn(expr), expr).not.toEqual([]);
      expect(
        metricsIn(expr).filter((name) => !samples.has(name)),
        expr,
      ).toEqual([]);
      for (const [, name, matchers] of expr.matchAll(/\b((?:slowwave|process|nodejs)_\w+)\{([^}]*)\}/g)) {
        const asked = [...matchers!.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map((match) => match[1]!);
        const known = [...samples.get(name!)!.labels, 'job', 'instance'];
        expect(
          asked.filter((label) => !known.includes(label)),
          expr,
        ).toEqual([]);
      }
    }
  });

  it('show or watch every metric of the service', async () => {
    const own = [...readMetrics(await everyMetric()).keys()].filter((name) => name.startsWith('slowwave_'));
    const used = new Set([...alerts, ...queries].flatMap(({ expr }) => metricsIn(expr)));
    const unseen = own.filter(
      (name) => ![...used].some((one) => one.replace(/_(?:bucket|count|sum)$/, '') === name),
    );
    expect(unseen).toEqual([]);
  });

  it('hold balanced queries, and panels that fit', () => {
    for (const { expr } of [...alerts, ...queries]) {
      for (const [open, close] of ['()', '{}', '[]'] as const) {
        expect(expr.split(open!).length, expr).toBe(expr.split(close!).length);
      }
    }
    for (const { gridPos } of BOARD.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(new Set(BOARD.panels.map(({ id }) => id)).size).toBe(BOARD.panels.length);
  });
});

describe('every alert', () => {
  it('says how grave it is, what happened and where its runbook is', () => {
    for (const { name, text } of alerts) {
      expect(text, name).toMatch(/severity: (?:critical|warning|info)\n/);
      expect(text, name).toMatch(/summary: '.{10,}'\n/);
      expect(text, name).toContain(`runbook_url: docs/alerts.md#${name.toLowerCase()}\n`);
    }
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
  });

  it('has a runbook: what it means, where to look, what to do; and each runbook its alert', () => {
    const sections = RUNBOOKS.split(/^## /m).slice(1);
    expect(sections.map((section) => /^\w+/.exec(section)?.[0])).toEqual(alerts.map(({ name }) => name));
    for (const section of sections) {
      const title = section.split('\n')[0]!;
      for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(section, title).toContain(part);
      expect(section, title).toMatch(/`[^`]+`/);
    }
  });
});
