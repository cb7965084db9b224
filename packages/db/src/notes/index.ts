export { createNoteStore, ForeignUser, type NoteStoreScope, type UserNoteStore } from './store.ts';
