import type { Place } from './borders.ts';

/** A word or an atom of a text, as the reader of statements deals them out. */
export interface ForeignSlot {
  text: string;
  atom: string | null;
  token: number;
  place: Place;
  written: string;
  name: boolean;
  sure: boolean;
  border: boolean;
  opens: boolean;
}
