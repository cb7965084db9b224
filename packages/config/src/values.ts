/** What was read, as the type that a setting of its kind has. */
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const number = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);
/** Seconds as ms. */
export const seconds = (value: unknown): number => number(value) * 1000;
/** Days as ms. */
export const days = (value: unknown): number => number(value) * 86_400_000;
/** A property that is absent where there is no value. */
export const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
