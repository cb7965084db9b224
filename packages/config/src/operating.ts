import type { RawConfig } from './read.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  inputDollars: number;
  outputDollars: number;
}

const PRICE = /^([^=\s]{1,200})=(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/;

/** What models cost, by name. */
export function pricesOf(raw: RawConfig, mistakes: string[]): Record<string, ModelPrice> {
  const entries = (raw.SLOWWAVE_MODEL_PRICES as string[] | undefined) ?? [];
  const prices: [string, ModelPrice][] = [];
  for (const entry of entries) {
    const [, name, input, output] = PRICE.exec(entry) ?? [];
    if (name === undefined) continue;
    prices.push([name, { inputDollars: Number(input), outputDollars: Number(output) }]);
  }
  if (prices.length < entries.length) {
    mistakes.push(
      'SLOWWAVE_MODEL_PRICES: expected name=input/output in US dollars per million tokens, such as some-model=1/5',
    );
  }
  return Object.fromEntries(prices);
}

/** Where spans are sent; null: none are made. */
export function tracingOf(raw: RawConfig): { url: string } | null {
  if (raw.SLOWWAVE_TRACING !== 'otlp') return null;
  const base = String(raw.OTEL_EXPORTER_OTLP_ENDPOINT).replace(/\/+$/, '');
  return { url: `${base}/v1/traces` };
}
