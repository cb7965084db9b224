import type { MemoryConflict, NewNote, Note, NoteStore } from '@slowwave/fusion';
import { createConflictStore } from '../conflicts/index.ts';
import type { Database } from '../database.ts';
import { requireName } from '../input-error.ts';
import { createNote } from './create.ts';
import { listNotes } from './list.ts';

/** The memories of one user as notes, for the consolidation of notes and those who call it from their own code. */
export interface UserNoteStore extends NoteStore {
  getConflicts(options?: { resolved?: boolean; limit?: number }): Promise<MemoryConflict[]>;
  /** @returns false when there is no such conflict */
  resolveConflict(conflictId: string, resolution: string): Promise<boolean>;
}

/** A store that is bound to one user was asked about another one. */
export class ForeignUser extends Error {
  readonly code = 'foreign_user';
  readonly retryable = false;

  constructor() {
    super('this store is bound to one user and was asked about another one');
    this.name = 'ForeignUser';
  }
}

export interface NoteStoreScope {
  tenant: string;
  user: string;
  /** The embedding model whose vectors the notes carry. */
  embeddingModel: string;
  /** Epoch ms. */
  now: () => number;
}

/**
 * The memories of one user as notes. Only latest memories that are not archived are listed; what is created is a derived memory that
 * supersedes nothing.
 */
export function createNoteStore(database: Database, scope: NoteStoreScope): UserNoteStore {
  const { tenant, user } = scope;
  requireName(tenant, 'tenant');
  requireName(user, 'user');
  const conflicts = createConflictStore(database, scope);
  const requireOwn = (userId: string): void => {
    if (userId !== user) throw new ForeignUser();
  };
  return {
    ...conflicts,
    async listByUser(userId, options): Promise<Note[]> {
      requireOwn(userId);
      return database.withTenant(tenant, (tx) => listNotes(tx, { ...scope, limit: options?.limit ?? 1_000 }));
    },
    async create(note: NewNote): Promise<Note> {
      requireOwn(note.user_id);
      return database.withTenant(tenant, (tx) => createNote(tx, { ...scope, note, at: scope.now() }));
    },
  };
}
