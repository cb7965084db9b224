/** Who said a note: the agent lived it, was told it, or inferred it. */
export type NoteSource = 'experience' | 'told' | 'inferred';

/** One remembered thing, as a library user's store keeps it. Only the first four fields must be there. */
export interface Note {
  id: string;
  content: string;
  /** Dense vector; an empty one for a note that has none yet. */
  embedding: Float32Array;
  tags: string[];
  /** Ids of notes that it is linked to. */
  links?: string[];
  context?: string;
  keywords?: string[];
  /** ISO 8601. */
  created_at?: string;
  updated_at?: string;
  created_by?: string;
  user_id?: string;
  source?: NoteSource;
  /** 0 to 1. */
  importance?: number;
  confidence?: number;
  version?: number;
}

/** A note to be stored; the store gives it an id and times. */
export type NewNote = Omit<Note, 'id' | 'created_at' | 'updated_at' | 'version' | 'user_id'> & {
  user_id: string;
};

/** The tag of notes that consolidation made: they are never consolidated again. */
export const CONSOLIDATED_TAG = 'consolidated';
