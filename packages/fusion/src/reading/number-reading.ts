/** What a reader found from some token on: values in canonical spelling and the index after the last token it used. */
export interface Reading {
  values: string[];
  next: number;
  /** May be offered, is never demanded. */
  soft?: boolean;
}
