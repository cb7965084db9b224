import type { LocalModel } from './model-files.ts';

/** What the thread is started with. */
export interface ThreadOptions extends LocalModel {
  /** Where the package that runs models is looked for; see `packagePlaces`. */
  places: readonly string[];
}

/** `stop`: the answer to that question is not needed any more; its rest is left out. */
export type Question = { ask: 'vectors'; id: number; texts: string[] } | { ask: 'stop'; id: number };

/** Why the thread cannot answer. */
export type Trouble =
  | { kind: 'not_installed' }
  /** The package is there and cannot be loaded. @property code of the error, where it has one of a known shape */
  | { kind: 'package'; code: string | null }
  | { kind: 'no_files' }
  /** The files are there and are no model that can be run. */
  | { kind: 'model' }
  /** The model runs, and gives no vectors. */
  | { kind: 'no_vectors' }
  /** The model failed on a text. Nothing more is said: what the package says may quote the text. */
  | { kind: 'text' };

export type Answer =
  | { id: number; status: 'stopped' }
  /** One vector per text behind one another; the array is handed over, not copied. */
  | { id: number; status: 'done'; vectors: Float32Array; dimensions: number }
  | { id: number; status: 'failed'; trouble: Trouble };
