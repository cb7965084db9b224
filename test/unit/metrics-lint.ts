/** Reads the text format of Prometheus, and tells where it does not follow the conventions that its own linter knows. */

export interface MetricFamily {
  name: string;
  type: string | null;
  help: string | null;
  labels: Set<string>;
  /** Names of samples as they stand, with the suffixes of histograms. */
  samples: Set<string>;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (?:[-+]?\d[\d.eE+-]*|[Nn]a[Nn]|[-+]?Inf)$/;
const HISTOGRAM_SUFFIX = /_(?:bucket|sum|count)$/;

/** @throws Error for a line that is none of the format */
export function readMetrics(text: string): Map<string, MetricFamily> {
  const families = new Map<string, MetricFamily>();
  const family = (name: string): MetricFamily => {
    const known = families.get(name) ?? {
      name,
      type: null,
      help: null,
      labels: new Set(),
      samples: new Set(),
    };
    families.set(name, known);
    return known;
  };
  for (const line of text.split('\n')) {
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (line === '') continue;
    if (kind === 'HELP') family(name!).help = rest ?? '';
    else if (kind === 'TYPE') {
      if (family(name!).type !== null) throw new Error(`declared twice: ${name}`);
      family(name!).type = rest ?? '';
    } else {
      const [, sample, labels] = SAMPLE.exec(line) ?? [];
      if (sample === undefined) throw new Error(`not a sample: ${line}`);
      const base = sample.replace(HISTOGRAM_SUFFIX, '');
      const type = families.get(base)?.type;
      const of = family(type === 'histogram' || type === 'summary' ? base : sample);
      of.samples.add(sample);
      for (const [, label] of (labels ?? '').matchAll(/([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g))
        of.labels.add(label!);
    }
  }
  return families;
}

const BASES = [
  'amperes',
  'bytes',
  'celsius',
  'grams',
  'joules',
  'kelvin',
  'meters',
  'metres',
  'seconds',
  'volts',
];
const PREFIXES = ['pico', 'nano', 'micro', 'milli', 'centi', 'deci', 'deca', 'hecto', 'kilo', 'kibi'].concat([
  'mega',
  'mebi',
  'giga',
  'gibi',
  'tera',
  'tebi',
  'peta',
  'pebi',
]);
const OTHER_UNITS: Record<string, string> = {
  minutes: 'seconds',
  hours: 'seconds',
  days: 'seconds',
  weeks: 'seconds',
};
const ABBREVIATIONS = ['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'tb', 'pb', 'm', 'h', 'd'];
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

function unitOf(part: string): { unit: string; base: string } | null {
  if (OTHER_UNITS[part]) return { unit: part, base: OTHER_UNITS[part] };
  for (const base of BASES) {
    if (part === base) return { unit: part, base };
    if (PREFIXES.some((prefix) => part === `${prefix}${base}`)) return { unit: part, base };
  }
  return null;
}

const RULES: ((family: MetricFamily) => string | null | false)[] = [
  ({ help }) => !help && 'no help text',
  ({ type }) => !type && 'no type',
  ({ name }) => {
    const used = name
      .split('_')
      .map(unitOf)
      .find((unit) => unit !== null);
    return used && used.unit !== used.base ? `use base unit "${used.base}" instead of "${used.unit}"` : null;
  },
  ({ name, type }) =>
    type === 'counter' && !name.endsWith('_total') && 'counter metrics should have "_total" suffix',
  ({ name, type }) =>
    type !== 'counter' && name.endsWith('_total') && 'only counters should have "_total" suffix',
  ({ name, type }) =>
    type !== 'histogram' && name.endsWith('_bucket') && 'only histograms should have "_bucket" suffix',
  ({ name, type }) =>
    !['histogram', 'summary'].includes(type ?? '') &&
    /_(?:count|sum)$/.test(name) &&
    'only histograms and summaries should have "_count" and "_sum" suffixes',
  ({ labels, type }) =>
    type !== 'histogram' && labels.has('le') && 'only histograms should have the label "le"',
  ({ labels, type }) =>
    type !== 'summary' && labels.has('quantile') && 'only summaries should have the label "quantile"',
  ({ name }) => name.includes(':') && 'metric names should not contain ":"',
  ({ name, labels }) =>
    [name, ...labels].some((word) => /[a-z][A-Z]/.test(word)) &&
    'names should be in snake_case, not camelCase',
  ({ name }) =>
    name.split('_').some((part) => ABBREVIATIONS.includes(part)) &&
    'metric names should not contain abbreviated units',
  ({ name }) =>
    name.split('_').some((part) => TYPES.includes(part)) && 'metric names should not contain their type',
  ({ labels }) =>
    [...labels].some((label) => label.startsWith('__')) && 'labels that begin with "__" are reserved',
];

/** @returns one line per mistake: "name: what" */
export function lintMetrics(text: string): string[] {
  return [...readMetrics(text).values()].flatMap((family) =>
    RULES.map((rule) => rule(family)).flatMap((told) => (told ? [`${family.name}: ${told}`] : [])),
  );
}
