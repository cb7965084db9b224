/** What is to be forgotten. */
export type ForgetTarget =
  /** Our id of a memory, or the writer's own. */
  | { memory: string }
  /** The writer's id of a session: all that was said in it and all that was made of it. */
  | { session: string }
  /** Everything about the user, the user included. */
  | { user: true };

export interface ForgetInput {
  tenant: string;
  user: string;
  target: ForgetTarget;
  /** Epoch ms. */
  at: number;
  /** Who asked for it, as the caller named them; null when nobody says. */
  actor: string | null;
  /** Only tells what would go: nothing is written. */
  checkOnly?: boolean;
}

/**
 * Why a memory goes: it was named; it is of the session; it says the same as one that goes, and was merged with it; or it was made of
 * one that goes. `user`: its user goes.
 */
export type ForgetWhy = 'asked' | 'session' | 'duplicate' | 'derived' | 'user';

export interface ForgottenMemory {
  id: string;
  why: ForgetWhy;
}

/** What went, in rows unless said otherwise. */
export interface Removed {
  memories: ForgottenMemory[];
  relations: number;
  conflicts: number;
  embeddings: number;
  neighbours: number;
  sessions: number;
  messages: number;
  /** Summaries of sessions; they are made anew of what is left. */
  summaries: number;
  /** Texts of answers that models gave; what they cost stays on record. */
  answers: number;
  /** Answers of the ledger that can no longer be used, made or undone. */
  fusions: number;
  /** Questions that were asked of the memories. */
  recallEvents: number;
  /** Before and after images of the journal. */
  images: number;
  /** Change sets that can no longer be taken back, since their images went. */
  changeSets: number;
  /** Judgements of connections. */
  verdicts: number;
  /** Feedback that no longer names its session; with its user it goes whole. */
  feedback: number;
  /** 1 when what was learned about the user's ways is learned anew, else 0. */
  profiles: number;
  /** What went from workspaces; absent when nothing did, and for a user. */
  workspaces?: RemovedFromWorkspaces;
  /** For a user: rows of every table, by its name. */
  tables?: Record<string, number>;
}

export interface RemovedFromWorkspaces {
  /** Blocks of files of which the ledger says only that they are forgotten. */
  blocks: number;
  /** Homes of memories in documents. */
  lines: number;
  /** Documents that lost lines of ours, or went since they were made of it. */
  documents: number;
  /** Earlier contents of documents that were emptied. */
  versions: number;
}

/** A document in which somebody's own words say it. */
export interface DocumentMention {
  workspace: string;
  path: string;
}

/** What still says it, and stays since it is somebody's own: for people to look at. Ids. */
export interface Mentions {
  memories: string[];
  scheduledItems: string[];
  goals: string[];
  /** Absent when there are none. Files of folders are not looked through: the next run takes our own lines out of them. */
  documents?: DocumentMention[];
}

export interface ForgetResult {
  /** `would`: nothing was written. */
  status: 'done' | 'would';
  removed: Removed;
  /** Memories that stand for themselves again, since what stood for them went. */
  reopened: string[];
  mentions: Mentions;
  /** The entry of the journal, which says that something was forgotten and not what; null for a user, and when nothing was written. */
  changeSetId: string | null;
}

export type ForgetRefusedCode = 'unknown_memory' | 'unknown_session' | 'unknown_user' | 'busy';

/** What was to be forgotten is not there, or others were at it all the time. Carries the name that was given, and no text. */
export class ForgetRefused extends Error {
  readonly code: ForgetRefusedCode;
  readonly retryable: boolean;
  /** As the caller named it. */
  readonly target: string;

  constructor(code: ForgetRefusedCode, target: string, message: string) {
    super(message);
    this.name = 'ForgetRefused';
    this.code = code;
    this.retryable = code === 'busy';
    this.target = target;
  }
}
