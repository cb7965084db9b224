// Generated from the declared routes by "npm run generate". A test compares it.
import type { RawBody } from '../call.ts';

export type CancelConsolidationAnswer =
  | {
      runId: string;
      status: 'cancelled';
      /**
       * It had ended so before.
       */
      already: boolean;
    }
  | {
      runId: string;
      status: 'cancelling';
      /**
       * Somebody had asked for its end before.
       */
      already: boolean;
    };

/**
 * What was wrong, and what to do. The code is for programs, the detail for people; neither quotes a memory.
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  [k: string]: unknown;
}
/**
 * What calls of language models took. Calls that nobody was paid for are left out.
 */
export interface CallUsage {
  calls: number;
  /**
   * Of the calls: asked for in batches, answered or not yet.
   */
  batchedCalls: number;
  /**
   * All that was read, from a cache or not.
   */
  inputTokens: number;
  /**
   * Of what was read: found in the cache of the provider.
   */
  cacheReadTokens: number;
  /**
   * Of what was read: put into the cache of the provider.
   */
  cacheWriteTokens: number;
  outputTokens: number;
  /**
   * Most tokens of calls of which nobody knows whether they were answered.
   */
  heldTokens: number;
  /**
   * US dollars of the calls whose price was known; held ones in full.
   */
  costDollars: number;
  /**
   * Calls whose price was not known.
   */
  unpricedCalls: number;
}
/**
 * One entry of the journal: what one commit changed.
 */
export interface ChangeSet {
  id: string;
  kind:
    | 'fusion'
    | 'undo'
    | 'redo'
    | 'edit'
    | 'merge'
    | 'conflict'
    | 'prominence'
    | 'audit'
    | 'archive'
    | 'prune'
    | 'restore'
    | 'rem'
    | 'reflection'
    | 'forget'
    | 'consolidate';
  /**
   * Who asked for it; null for the tiers themselves.
   */
  actor: string | null;
  runId: string | null;
  fusionKey: string | null;
  createdAt: number;
  /**
   * The change set that this one took back.
   */
  undoes: string | null;
  /**
   * The change set that took this one back; null while it stands.
   */
  undoneBy: string | null;
  /**
   * From then on it cannot be undone or redone.
   */
  imagesDroppedAt: number | null;
  /**
   * Rows that the journal still holds images of.
   */
  counts: {
    memories: number;
    relations: number;
    conflicts: number;
  };
}
/**
 * Two memories of one user that disagree.
 */
export interface Conflict {
  id: string;
  user: string;
  /**
   * reported: waits for a label. open: waits for a person.
   */
  status: 'reported' | 'open' | 'resolved';
  /**
   * Null until it is labelled.
   */
  type: ('compatible' | 'contradictory' | 'subsumes' | 'ambiguous') | null;
  /**
   * Who said that the two may disagree.
   */
  source: 'fusion' | 'twins' | 'person' | 'consolidate';
  /**
   * The question that both answer, in a model’s words.
   */
  slot: string | null;
  /**
   * Why they disagree, in a model’s words.
   */
  description: string | null;
  confidence: number | null;
  /**
   * The side that alone stays out of fusion; null: both.
   */
  accuser: string | null;
  winner: string | null;
  resolution: string | null;
  resolvedBy: ('code' | 'policy' | 'person' | 'gone') | null;
  actor: string | null;
  detectedAt: number;
  resolvedAt: number | null;
  /**
   * One of the two was superseded or says something else by now.
   */
  stale: boolean;
  a: ConflictSide;
  b: ConflictSide;
}
/**
 * One of two memories that disagree. Instants in epoch ms.
 */
export interface ConflictSide {
  id: string;
  externalId: string | null;
  content: string;
  category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
  /**
   * Who said it.
   */
  origin: 'user' | 'assistant' | 'tool' | 'import';
  session: string | null;
  learnedFrom:
    | 'conversation'
    | 'correction'
    | 'inference'
    | 'consolidation'
    | 'nrem_consolidation'
    | 'rem_exploration'
    | 'self_reflection'
    | 'import';
  trust: number;
  confirmations: number;
  /**
   * When it was said.
   */
  documentDate: number;
  /**
   * When it is true, if that was said.
   */
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  isLatest: boolean;
}
/**
 * A memory as it would be written.
 */
export interface DerivedMemory {
  content: string;
  category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  origin: 'user' | 'assistant' | 'tool' | 'import';
  visibility: 'private' | 'shared';
  importance: number;
  confidence: number;
  trust: number;
  prominence: number;
  documentDate: number;
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  sourceChunk: string;
  learnedFrom:
    | 'conversation'
    | 'correction'
    | 'inference'
    | 'consolidation'
    | 'nrem_consolidation'
    | 'rem_exploration'
    | 'self_reflection'
    | 'import';
  metadata: {
    [k: string]: unknown;
  };
  /**
   * Sources that it would supersede.
   */
  coveredIds: string[];
}
/**
 * Recall before and after simulated nights: figures alone, no text of any memory or question.
 */
export interface Evaluation {
  version: 1;
  /**
   * What the files are called, without their folders.
   *
   * @maxItems 1000
   */
  files: string[];
  users: number;
  memories: number;
  questions: {
    [k: string]: number;
  };
  model: string;
  embedder: string;
  /**
   * @minItems 1
   * @maxItems 61
   */
  stages: [
    {
      /**
       * Simulated nights before it.
       */
      nights: number;
      store: {
        memories: number;
        characters: number;
        vectors: number;
        derived: number;
        superseded: number;
        archived: number;
        duplicates: {
          planted: number;
          left: number;
        } | null;
        lengthRatio: number | null;
      };
      searches: {
        recall: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        bm25: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        cosine: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        newest: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
      };
      /**
       * Groups of notes that say the same of which two were together: in the window of a plan, in a request, in a proposed and in an accepted statement; refused statements by lane; absent where the set marks none.
       */
      groups?: {
        groups: number;
        met: number;
        offered: number;
        proposed: number;
        accepted: number;
        refused: {
          [k: string]: number;
        };
        byLanguage: {
          [k: string]: {
            groups: number;
            met: number;
            offered: number;
            proposed: number;
            accepted: number;
          };
        };
        requests: number;
        tokens: number;
        saved: number;
      };
      /**
       * How the model answered from what recall brought back, graded by itself; absent where it was not asked.
       */
      answering?: {
        questions: number;
        right: number;
        failed: number;
        inputTokens: number;
        outputTokens: number;
      };
      digests: {
        newest: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        important: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        random: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
      };
    },
    ...{
      /**
       * Simulated nights before it.
       */
      nights: number;
      store: {
        memories: number;
        characters: number;
        vectors: number;
        derived: number;
        superseded: number;
        archived: number;
        duplicates: {
          planted: number;
          left: number;
        } | null;
        lengthRatio: number | null;
      };
      searches: {
        recall: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        bm25: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        cosine: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        newest: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
      };
      /**
       * Groups of notes that say the same of which two were together: in the window of a plan, in a request, in a proposed and in an accepted statement; refused statements by lane; absent where the set marks none.
       */
      groups?: {
        groups: number;
        met: number;
        offered: number;
        proposed: number;
        accepted: number;
        refused: {
          [k: string]: number;
        };
        byLanguage: {
          [k: string]: {
            groups: number;
            met: number;
            offered: number;
            proposed: number;
            accepted: number;
          };
        };
        requests: number;
        tokens: number;
        saved: number;
      };
      /**
       * How the model answered from what recall brought back, graded by itself; absent where it was not asked.
       */
      answering?: {
        questions: number;
        right: number;
        failed: number;
        inputTokens: number;
        outputTokens: number;
      };
      digests: {
        newest: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        important: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        random: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
      };
    }[],
  ];
  costDollars: number;
  runs: number;
}
/**
 * A change of files that can be undone.
 */
export interface FilesChanged {
  /**
   * The run of the workspace that undoes it; null: everything stood so already.
   */
  runId: string | null;
  /**
   * Files and folders that it is about.
   */
  documents: number;
  /**
   * The type of the backend that answered.
   */
  backend: string;
}
/**
 * What went, or would go, and what stands for itself again.
 */
export interface ForgetResult {
  tenant: string;
  user: string;
  status: 'done' | 'would';
  /**
   * What went, in rows unless said otherwise.
   */
  removed: {
    memories: {
      id: string;
      why: 'asked' | 'session' | 'duplicate' | 'derived' | 'user';
    }[];
    relations: number;
    conflicts: number;
    embeddings: number;
    neighbours: number;
    sessions: number;
    messages: number;
    summaries: number;
    answers: number;
    fusions: number;
    recallEvents: number;
    images: number;
    changeSets: number;
    verdicts: number;
    feedback: number;
    profiles: number;
    workspaces?: {
      blocks: number;
      lines: number;
      documents: number;
      versions: number;
    };
    /**
     * Of a user: rows of every table, by its name.
     */
    tables?: {
      [k: string]: number;
    };
  };
  /**
   * Memories that are latest again, since what stood for them went.
   */
  reopened: string[];
  /**
   * What still says it in somebody’s own words, and stays: for people to look at.
   */
  mentions: {
    memories: string[];
    scheduledItems: string[];
    goals: string[];
    documents?: {
      workspace: string;
      path: string;
    }[];
  };
  /**
   * The entry of the journal; null for a user, and when nothing was written.
   */
  changeSetId: string | null;
}
/**
 * A fusion or a merge.
 */
export interface Fusion {
  key: string;
  user: string;
  /**
   * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
   */
  kind: 'fusion' | 'merge' | 'restatement';
  tier: 'light' | 'deep' | 'sleep';
  status:
    | 'planned'
    | 'generated'
    | 'review'
    | 'applied'
    | 'stale'
    | 'failed'
    | 'rejected'
    | 'expired'
    | 'undone'
    | 'forgotten'
    | 'closed';
  /**
   * Why it did not come to pass.
   */
  errorCode: string | null;
  runId: string | null;
  createdAt: number;
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  /**
   * Of a statement: the key of the fusion that it answers; of a merge into a statement, that of the restatement.
   */
  request: string | null;
  /**
   * The model that answered, or else the one that was to; "none" for a merge.
   */
  model: string;
  /**
   * What it made; of a merge, the memory that stays. Null while there is none.
   */
  derived: {
    id: string;
    content: string;
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    importance: number;
  } | null;
  sources: {
    id: string;
    content: string;
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    superseded: boolean;
  }[];
}
/**
 * One fusion with everything that is known of it.
 */
export interface FusionDetail {
  tenant: string;
  key: string;
  user: string;
  /**
   * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
   */
  kind: 'fusion' | 'merge' | 'restatement';
  tier: 'light' | 'deep' | 'sleep';
  status:
    | 'planned'
    | 'generated'
    | 'review'
    | 'applied'
    | 'stale'
    | 'failed'
    | 'rejected'
    | 'expired'
    | 'undone'
    | 'forgotten'
    | 'closed';
  /**
   * Why it did not come to pass.
   */
  errorCode: string | null;
  runId: string | null;
  createdAt: number;
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  /**
   * Of a statement: the key of the fusion that it answers; of a merge into a statement, that of the restatement.
   */
  request: string | null;
  /**
   * The model that answered, or else the one that was to; "none" for a merge.
   */
  model: string;
  attempt: number;
  promptVersion: string;
  /**
   * Until when it waits for a person.
   */
  reviewExpiresAt: number | null;
  decidedBy: string | null;
  decidedAt: number | null;
  derived: {
    /**
     * stored: a memory. proposed: waits for a person.
     */
    state: 'stored' | 'proposed';
    id: string | null;
    content: string;
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    importance: number;
    confidence: number;
    trust: number;
  } | null;
  sources: {
    id: string;
    externalId: string | null;
    /**
     * As it is now.
     */
    content: string;
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
    importance: number;
    confidence: number;
    trust: number;
    documentDate: number;
    isLatest: boolean;
    /**
     * By this fusion.
     */
    superseded: boolean;
    /**
     * It says something else than when the fusion was made of it.
     */
    changed: boolean;
  }[];
  /**
   * Of a closed fusion: what was accepted, each a fusion of its own.
   */
  statements: {
    key: string;
    status:
      | 'planned'
      | 'generated'
      | 'review'
      | 'applied'
      | 'stale'
      | 'failed'
      | 'rejected'
      | 'expired'
      | 'undone'
      | 'forgotten'
      | 'closed';
    content: string | null;
  }[];
  /**
   * What its answer proposed; of a statement, what was proposed of its sources. Null where that is not on record any more.
   */
  proposals:
    | {
        text: string;
        sourceIds: string[];
        accepted: boolean;
        /**
         * What the gate made of it, in one word.
         */
        lane: string;
        /**
         * What was lost or added, in the words of floor or judge.
         */
        details: string[];
        /**
         * The judge’s, in order; none where the floor or repetition decided.
         */
        votes: {
          /**
           * "same", or why the vote refuses it, in one word.
           */
          lane: string;
          details: string[];
        }[];
        /**
         * The writer made it of what was refused before.
         */
        mended: boolean;
      }[]
    | null;
  /**
   * What it wrote last, in the journal.
   */
  changeSetId: string | null;
  /**
   * Can be undone, unless something later stands on it.
   */
  undoable: boolean;
  /**
   * Can be redone, unless something later stands on it.
   */
  redoable: boolean;
}
/**
 * What became of the lines of a file.
 */
export interface ImportSummary {
  /**
   * The last line’s number.
   */
  lines: number;
  inserted: number;
  /**
   * Lines whose memory stood there before.
   */
  unchanged: number;
  /**
   * Lines whose memory was forgotten; each is among the problems.
   */
  forgotten: number;
  relations: number;
  usersCreated: number;
  users: {
    tenant: string;
    user: string;
  }[];
  /**
   * The first 1,000; problemCount counts all.
   */
  problems: {
    line: number;
    code: string;
    message: string;
  }[];
  problemCount: number;
  /**
   * Relations whose target is neither in the file nor stored.
   */
  unresolvedRelations: number;
  /**
   * Of an export that was restored: lines by their kind, and users.
   */
  restored?: {
    [k: string]: number;
  };
  /**
   * Of an export that was merged: lines that an ordinary import has no place for.
   */
  leftOut?: {
    [k: string]: number;
  };
}
export interface LineageBranch {
  id: string;
  /**
   * cold: in cold storage; forgotten: removed on request; gone: taken away otherwise.
   */
  state: 'here' | 'cold' | 'forgotten' | 'gone';
  content: string | null;
  memoryType: ('static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded') | null;
  isLatest: boolean;
  origin: ('user' | 'assistant' | 'tool' | 'import') | null;
  learnedFrom:
    | (
        | 'conversation'
        | 'correction'
        | 'inference'
        | 'consolidation'
        | 'nrem_consolidation'
        | 'rem_exploration'
        | 'self_reflection'
        | 'import'
      )
    | null;
  trust: number | null;
  createdAt: number | null;
  supersededBy: string | null;
  /**
   * What made it, or what kept it of two duplicates.
   */
  fusion: {
    key: string;
    /**
     * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
     */
    kind: 'fusion' | 'merge' | 'restatement';
    /**
     * applied, undone, forgotten and so on.
     */
    status: string;
    runId: string | null;
    /**
     * When it last changed.
     */
    at: number;
  } | null;
  /**
   * Fusions that it was a source of, undone and refused ones included.
   */
  parts: {
    key: string;
    /**
     * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
     */
    kind: 'fusion' | 'merge' | 'restatement';
    /**
     * applied, undone, forgotten and so on.
     */
    status: string;
    runId: string | null;
    /**
     * When it last changed.
     */
    at: number;
    superseded: boolean;
  }[];
  /**
   * Conversations that it rests on.
   */
  sessions: string[];
  /**
   * derives: by a fusion; updates: superseded otherwise; edited: a person made it from it.
   */
  how: 'derives' | 'updates' | 'edited';
  next: LineageBranch[];
}
/**
 * A memory as of now. Instants in epoch ms.
 */
export interface Memory {
  id: string;
  /**
   * The id that its writer gave it; null for one that a tier made.
   */
  externalId: string | null;
  user: string;
  content: string;
  category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
  importance: number;
  confidence: number;
  trust: number;
  /**
   * Who said it.
   */
  origin: 'user' | 'assistant' | 'tool' | 'import';
  learnedFrom:
    | 'conversation'
    | 'correction'
    | 'inference'
    | 'consolidation'
    | 'nrem_consolidation'
    | 'rem_exploration'
    | 'self_reflection'
    | 'import';
  visibility: 'private' | 'shared';
  workspace: string | null;
  session: string | null;
  isLatest: boolean;
  version: number;
  /**
   * How readily it comes to mind, as of now.
   */
  prominence: number;
  /**
   * Active from prominence 0.5, dormant from 0.1, archived below.
   */
  band: 'active' | 'dormant' | 'archived';
  /**
   * When it was said.
   */
  documentDate: number;
  /**
   * When it happened or will happen.
   */
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  expiresAt: number | null;
  archivedAt: number | null;
  supersededBy: string | null;
  createdAt: number;
  updatedAt: number;
}
/**
 * One memory with what hangs on it. Instants in epoch ms.
 */
export interface MemoryDetail {
  tenant: string;
  id: string;
  /**
   * The id that its writer gave it; null for one that a tier made.
   */
  externalId: string | null;
  user: string;
  content: string;
  category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
  importance: number;
  confidence: number;
  trust: number;
  /**
   * Who said it.
   */
  origin: 'user' | 'assistant' | 'tool' | 'import';
  learnedFrom:
    | 'conversation'
    | 'correction'
    | 'inference'
    | 'consolidation'
    | 'nrem_consolidation'
    | 'rem_exploration'
    | 'self_reflection'
    | 'import';
  visibility: 'private' | 'shared';
  workspace: string | null;
  session: string | null;
  isLatest: boolean;
  version: number;
  /**
   * How readily it comes to mind, as of now.
   */
  prominence: number;
  /**
   * Active from prominence 0.5, dormant from 0.1, archived below.
   */
  band: 'active' | 'dormant' | 'archived';
  /**
   * When it was said.
   */
  documentDate: number;
  /**
   * When it happened or will happen.
   */
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  expiresAt: number | null;
  archivedAt: number | null;
  supersededBy: string | null;
  createdAt: number;
  updatedAt: number;
  /**
   * The instant that prominence and band are as of, epoch milliseconds.
   */
  at: number;
  /**
   * From the oldest to the newest day on which it was said; they differ in derived memories and where duplicates were merged.
   */
  said: {
    from: number;
    to: number;
  };
  confirmations: number;
  recalls: {
    count: number;
    lastAt: number | null;
  };
  /**
   * How many relations lead from it and to it; lineage stands at /v1/memories/{id}/lineage.
   */
  relations: {
    outgoing: {
      UPDATES: number;
      EXTENDS: number;
      DERIVES: number;
    };
    incoming: {
      UPDATES: number;
      EXTENDS: number;
      DERIVES: number;
    };
  };
  /**
   * Connections that sleep thought of and nobody confirmed.
   */
  hypotheses: number;
  /**
   * How many memories it stands in place of; those in cold storage are not counted.
   */
  supersedes: number;
  /**
   * Of a derived memory: what its sources said, one after the other.
   */
  sourceChunk: string | null;
  metadata: {
    [k: string]: unknown;
  };
}
/**
 * How the prominence of a memory came about. Instants in epoch ms.
 */
export interface MemoryExplanation {
  tenant: string;
  user: string;
  id: string;
  externalId: string | null;
  content: string;
  origin: 'user' | 'assistant' | 'tool' | 'import';
  learnedFrom:
    | 'conversation'
    | 'correction'
    | 'inference'
    | 'consolidation'
    | 'nrem_consolidation'
    | 'rem_exploration'
    | 'self_reflection'
    | 'import';
  version: number;
  isLatest: boolean;
  createdAt: number;
  documentDate: number;
  /**
   * From the oldest to the newest day on which it was said; they differ in derived memories and where duplicates were merged.
   */
  said: {
    from: number;
    to: number;
  };
  /**
   * The instant that everything here is as of.
   */
  at: number;
  params: {
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
    importance: number;
    confirmations: number;
    peak: number;
    anchorAt: number;
    demotion: number;
  };
  /**
   * prominence = demotion × (floor + (peak − floor) × rate^(max(0, ageDays − 1) / stability)); a static_profile memory is always 1.
   */
  terms: {
    rate: number;
    stability: number;
    floor: number;
    ageDays: number;
    demotion: number;
  };
  prominence: number;
  band: 'active' | 'dormant' | 'archived';
  crossings: {
    threshold: number;
    /**
     * Null when it never happens, or it lay below from the beginning.
     */
    at: number | null;
    state: 'past' | 'ahead' | 'never';
  }[];
  nextCrossingAt: number | null;
  /**
   * Change sets that touched it, the newest first, at most 200.
   */
  history: {
    changeSet: string;
    kind:
      | 'fusion'
      | 'undo'
      | 'redo'
      | 'edit'
      | 'merge'
      | 'conflict'
      | 'prominence'
      | 'audit'
      | 'archive'
      | 'prune'
      | 'restore'
      | 'rem'
      | 'reflection'
      | 'forget'
      | 'consolidate';
    at: number;
    runId: string | null;
    fusionKey: string | null;
    /**
     * What the change set kept of it; null when the memory was not there.
     */
    before: {
      peak?: number;
      anchorAt?: number;
      demotion?: number;
      confirmations?: number;
      memoryType?: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
    } | null;
    /**
     * What the change set kept of it; null when the memory was not there.
     */
    after: {
      peak?: number;
      anchorAt?: number;
      demotion?: number;
      confirmations?: number;
      memoryType?: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
    } | null;
  }[];
  /**
   * What it was derived from.
   */
  sources: {
    id: string;
    externalId: string | null;
    memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
    isLatest: boolean;
  }[];
  /**
   * What was derived from it.
   */
  derived: {
    id: string;
    externalId: string | null;
    memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
    isLatest: boolean;
  }[];
  supersededBy: string | null;
  recalls: {
    count: number;
    lastAt: number | null;
  };
  auditedAt: number | null;
  archivedAt: number | null;
  expiresAt: number | null;
}
/**
 * What became of one memory that was given.
 */
export interface MemoryOutcome {
  status: 'written' | 'known' | 'refused';
  user: string | null;
  /**
   * Null when it was refused.
   */
  id: string | null;
  /**
   * Null when it was refused before it had one.
   */
  externalId: string | null;
  problem: {
    code: string;
    field: string | null;
    /**
     * What was wrong and what was expected; quotes nothing of the memory.
     */
    detail: string;
  } | null;
}
/**
 * A memory as its writer gives it. Instants in epoch ms.
 */
export interface NewMemory {
  user?: string;
  /**
   * The writer’s own id, unique for the user: the same id again is the same memory. Left out, one is made of content, documentDate and category.
   */
  externalId?: string | null;
  /**
   * The text of the memory, kept as it is.
   */
  content: string;
  /**
   * Left out: fact.
   */
  category?: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  /**
   * Left out: regular.
   */
  memoryType?: 'regular' | 'static_profile' | 'dynamic_profile';
  /**
   * Left out: 5.
   */
  importance?: number;
  /**
   * Left out: 0.8.
   */
  confidence?: number;
  /**
   * Left out: 0.8.
   */
  trust?: number;
  /**
   * Who said it. Left out: import, since it must not pass for the user’s own word.
   */
  origin?: 'user' | 'assistant' | 'tool' | 'import';
  /**
   * Left out: private.
   */
  visibility?: 'private' | 'shared';
  /**
   * The conversation in which it was said.
   */
  session?: string | null;
  /**
   * When it was said, from 1971-01-01 (a date in seconds lies before) to a day ahead. Left out: now.
   */
  documentDate?: number | null;
  /**
   * When it happened or will happen.
   */
  eventDate?: number | null;
  validFrom?: number | null;
  validTo?: number | null;
  expiresAt?: number | null;
  /**
   * @maxItems 64
   */
  relations?: {
    type: 'UPDATES' | 'EXTENDS';
    /**
     * The externalId of another memory of the user.
     */
    target: string;
    /**
     * Left out: 1.
     */
    confidence?: number;
  }[];
  /**
   * Kept as it is, at most 256 KiB as JSON.
   */
  metadata?: {
    [k: string]: unknown;
  };
}
/**
 * Prominence before and after. Instants in epoch ms.
 */
export interface ProminenceChange {
  tenant: string;
  user: string;
  id: string;
  before: number;
  after: number;
  nextCrossingAt: number | null;
}
/**
 * The counts are the most of any tier, in a row.
 */
export interface QuarantinedUser {
  user: string;
  /**
   * never_ended, or the code of the failure that was one too many.
   */
  code: string;
  since: number;
  unended: number;
  faults: number;
  failures: number;
  lastAttemptAt: number | null;
}
/**
 * Whether the service can do its work, and why not.
 */
export interface Readiness {
  status: 'ready' | 'not_ready';
  version: string;
  checks: {
    database: {
      kind: 'embedded' | 'server';
      ok: boolean;
      /**
       * Why not, as a code.
       */
      reason?: string;
    };
    queue: {
      kind: 'embedded' | 'postgres' | 'redis';
      ok: boolean;
      /**
       * Why not, as a code.
       */
      reason?: string;
    };
    ticks: {
      ok: boolean;
      /**
       * Why not, as a code.
       */
      reason?: string;
      late: ('light' | 'deep' | 'sleep')[];
    };
    /**
     * The workers of this process, where there are any.
     */
    workers?: {
      ok: boolean;
      /**
       * Why not, as a code.
       */
      reason?: string;
      reasons: string[];
    };
  };
  /**
   * Users who wait too long; null when the database cannot say.
   */
  overdue: {
    light: number;
    deep: number;
    sleep: number;
  } | null;
  quarantined: {
    light: number;
    deep: number;
    sleep: number;
  } | null;
  paused: {
    light: number;
    deep: number;
    sleep: number;
  } | null;
  /**
   * Tiers that are paused for everybody.
   */
  pausedTiers: ('light' | 'deep' | 'sleep')[] | null;
}
/**
 * A memory that came to mind. Instants in epoch ms.
 */
export interface RecalledMemory {
  id: string;
  /**
   * The id that its writer gave it; null for one that a tier made.
   */
  externalId: string | null;
  content: string;
  category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  memoryType: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
  /**
   * Who said it.
   */
  origin: 'user' | 'assistant' | 'tool' | 'import';
  trust: number;
  isLatest: boolean;
  supersededBy: string | null;
  prominence: number;
  /**
   * When it was said.
   */
  documentDate: number;
  /**
   * When it happened or will happen.
   */
  eventDate: number | null;
  archivedAt: number | null;
  /**
   * From the oldest to the newest day on which it was said; they differ in derived memories and where duplicates were merged.
   */
  said: {
    from: number;
    to: number;
  };
  /**
   * How well it answers, by which the list is sorted.
   */
  score: number;
  /**
   * Cosine to the question, -1 to 1; null without a vector.
   */
  similarity: number | null;
  /**
   * With `explain`: why it stands where it stands. score = relevance × prominence × recency.
   */
  parts?: {
    /**
     * BM25 as a share of what the question’s words tell: 1 for each once, at most 2.2.
     */
    words: number;
    /**
     * Nearness by vector; 0.5 where the embedder calls texts related.
     */
    meaning: number;
    /**
     * Words and meaning together, before the priors.
     */
    relevance: number;
    /**
     * What the prior of prominence left of it.
     */
    prominence: number;
    /**
     * What the prior of recency left of it.
     */
    recency: number;
  };
}
/**
 * Two sources that the model says disagree.
 */
export interface ReportedPair {
  a: string;
  b: string;
  kind: 'contradictory' | 'ambiguous';
  /**
   * The question that both answer, in the model’s words.
   */
  slot: string;
}
/**
 * A fusion or a merge that waits for a person.
 */
export interface Review {
  key: string;
  user: string;
  /**
   * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
   */
  kind: 'fusion' | 'merge' | 'restatement';
  tier: 'light' | 'deep' | 'sleep';
  runId: string | null;
  /**
   * The model that worded it; "none" for a merge.
   */
  model: string;
  proposedAt: number;
  /**
   * Decided by nobody until then, it is taken back.
   */
  expiresAt: number;
  /**
   * What would be written; null for a merge.
   */
  derived: {
    content: string;
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    importance: number;
    confidence: number;
    trust: number;
    visibility: 'private' | 'shared';
  } | null;
  sources: {
    id: string;
    content: string;
    category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
    documentDate: number;
    /**
     * What approving does to it.
     */
    fate: 'superseded' | 'confirmed' | 'kept';
    /**
     * Changed since it was proposed: approving finds the proposal stale.
     */
    changed: boolean;
  }[];
}
/**
 * Counts and codes, step by step; never the text of a memory.
 */
export interface RunReport {
  steps?: {
    step: string;
    status: 'done' | 'skipped' | 'failed';
    durationMs: number;
    /**
     * Of a step that is done.
     */
    counts?: {
      [k: string]: unknown;
    };
    /**
     * Why a step was skipped.
     */
    reason?: string;
    /**
     * Why a step failed.
     */
    code?: string;
    [k: string]: unknown;
  }[];
  durationMs?: number;
  /**
   * What its calls took, in nano-dollars too. Absent when none was made.
   */
  spend?: {
    calls: number;
    tokens: number;
    costNanos: number | null;
    [k: string]: unknown;
  };
  /**
   * The budget that ended its model work, and when it is whole again (epoch ms).
   */
  refusal?: {
    scope: 'user_night' | 'user_day' | 'tenant_day' | 'overall_day';
    unit: 'tokens' | 'dollars' | 'price';
    renewsAt: number;
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * A run without its report.
 */
export interface RunSummary {
  runId: string;
  tenant: string;
  user: string;
  tier: 'light' | 'deep' | 'sleep';
  why: 'schedule' | 'adhoc' | 'sweep' | 'retry' | 'batch';
  /**
   * abandoned: put back, somebody else goes on with it. cancelled: ended because somebody asked for that.
   */
  status: 'requested' | 'running' | 'completed' | 'failed' | 'abandoned' | 'cancelled';
  /**
   * It has ended for good.
   */
  finished: boolean;
  /**
   * It does everything up to the commit, and nothing after it.
   */
  preview: boolean;
  requestedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /**
   * When somebody asked for its end.
   */
  cancelRequestedAt: number | null;
  errorCode: string | null;
  totals: RunTotals;
}
/**
 * What a run came to, over all its steps.
 */
export interface RunTotals {
  /**
   * Fusions that were applied.
   */
  fused: number;
  /**
   * Fusions that wait for a person since.
   */
  proposed: number;
  /**
   * Fusions that failed.
   */
  failed: number;
  /**
   * Memories that something else stands for since.
   */
  superseded: number;
  /**
   * Calls of language models.
   */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /**
   * What its calls cost in US dollars; null when a price was not known, or nothing was asked.
   */
  costDollars: number | null;
}
/**
 * One tier of one user. Instants in epoch ms.
 */
export interface TierState {
  /**
   * Null: nothing is due until something is written.
   */
  dueAt: number | null;
  /**
   * Not to be tried before.
   */
  nextAttemptAt: number | null;
  lastAttemptAt: number | null;
  lastSuccessAt: number | null;
  /**
   * In a row.
   */
  failures: number;
  enqueuedAt: number | null;
  /**
   * Somebody waits for it.
   */
  requestedRun: string | null;
  /**
   * For this user.
   */
  paused: boolean;
  tenantPaused: boolean;
  /**
   * For everybody.
   */
  tierPaused: boolean;
  /**
   * Starts in a row whose worker ended without a word.
   */
  unended: number;
  /**
   * Failures in a row that no outage explains.
   */
  faults: number;
}
/**
 * What may be said of a token. Its secret is not among it.
 */
export interface Token {
  id: string;
  name: string;
  role: 'read' | 'write' | 'admin';
  /**
   * Whether what an assistant writes with it over MCP may pass for the user’s own word; else its origin is assistant, and its trust at most 0.5.
   */
  speaksForUser: boolean;
  /**
   * Epoch ms.
   */
  createdAt: number;
  createdBy: string;
  /**
   * Epoch ms; null: until it is revoked.
   */
  expiresAt: number | null;
  /**
   * Epoch ms; null: it was not revoked.
   */
  revokedAt: number | null;
  /**
   * Epoch ms, to the hour; null: never used.
   */
  lastUsedAt: number | null;
}
/**
 * What was taken back, or made good again, exact to the row.
 */
export interface UndoResult {
  tenant: string;
  user: string;
  /**
   * would: nothing was written, since only that was asked.
   */
  status: 'done' | 'would';
  /**
   * Undoing an undo is a redo, and the other way round.
   */
  direction: 'undo' | 'redo';
  /**
   * What was taken back, or made good again.
   */
  changeSets: {
    id: string;
    kind:
      | 'fusion'
      | 'undo'
      | 'redo'
      | 'edit'
      | 'merge'
      | 'conflict'
      | 'prominence'
      | 'audit'
      | 'archive'
      | 'prune'
      | 'restore'
      | 'rem'
      | 'reflection'
      | 'forget'
      | 'consolidate';
    fusionKey: string | null;
    runId: string | null;
  }[];
  /**
   * Memories that came back, or got earlier values back.
   */
  restored: string[];
  /**
   * Memories that were taken away.
   */
  removed: string[];
  relations: number;
  conflicts: number;
  /**
   * Of this undo; null when nothing was written.
   */
  changeSetId: string | null;
  /**
   * One for each change set that was taken back.
   */
  changeSetIds: string[];
}
/**
 * A user with settings and tiers.
 */
export interface User {
  tenant: string;
  user: string;
  /**
   * An IANA name.
   */
  timezone: string;
  /**
   * Minutes after local midnight.
   */
  quietStart: number;
  /**
   * Minutes after local midnight; equal to the start: no quiet hours.
   */
  quietEnd: number;
  /**
   * How fusions are applied: by themselves, after a person said yes, or not at all.
   */
  mode: 'auto' | 'review' | 'off';
  /**
   * How contradictions are settled: by asking a person, or for the newest where that is safe.
   */
  conflictPolicy: 'ask' | 'newest_wins';
  createdAt: number;
  /**
   * Nothing runs for this user until an operator releases them.
   */
  quarantine: {
    code: string;
    since: number;
  } | null;
  tiers: {
    light: TierState;
    deep: TierState;
    sleep: TierState;
  };
}
/**
 * Where a tenant is told of what happened. Its secret is not among it.
 */
export interface Webhook {
  id: string;
  url: string;
  events: ('run.finished' | 'conflict.found' | 'fusion.failed')[];
  /**
   * Nothing is sent, and nothing kept for later, while it is not active.
   */
  active: boolean;
  /**
   * Epoch ms.
   */
  createdAt: number;
  /**
   * Epoch ms.
   */
  updatedAt: number;
}
/**
 * What became of one event for one webhook.
 */
export interface WebhookDelivery {
  /**
   * The webhook-id of every attempt.
   */
  id: string;
  user: string | null;
  event: 'run.finished' | 'conflict.found' | 'fusion.failed';
  attempts: number;
  /**
   * Epoch ms; null: it arrived or was given up.
   */
  nextAttemptAt: number | null;
  /**
   * Epoch ms.
   */
  deliveredAt: number | null;
  /**
   * Epoch ms.
   */
  gaveUpAt: number | null;
  /**
   * HTTP status of the last answer, if there was one.
   */
  lastStatus: number | null;
  /**
   * Why the last attempt failed.
   */
  errorCode: string | null;
  /**
   * Epoch ms.
   */
  createdAt: number;
}
/**
 * A place with documents of one user.
 */
export interface Workspace {
  tenant: string;
  user: string;
  workspace: string;
  backend: string;
  /**
   * Null: its documents are in the database.
   */
  rootDir: string | null;
  memoryEnabled: boolean;
  projectionEnabled: boolean;
  importEnabled: boolean;
  quotaBytes: number;
  insightsEnabled: boolean;
  /**
   * A cron expression of five fields.
   */
  insightsSchedule: string;
  /**
   * Null: the user’s own.
   */
  insightsTimezone: string | null;
  insightsMinIntervalMs: number;
  /**
   * In characters.
   */
  insightsMinGrowth: number;
  /**
   * Epoch ms.
   */
  insightsDueAt: number | null;
  /**
   * Epoch ms.
   */
  insightsLastRunAt: number | null;
  /**
   * In characters.
   */
  insightsLastSize: number | null;
  /**
   * Epoch ms.
   */
  createdAt: number;
  /**
   * Whether its documents can be reached from the process that answers.
   */
  reachable: boolean;
}
/**
 * What was done to a workspace.
 */
export interface WorkspaceRun {
  id: string;
  work: 'insights' | 'import' | 'projection' | 'files';
  status: 'running' | 'completed' | 'failed' | 'skipped' | 'undone';
  /**
   * Why it was skipped or failed, as a code.
   */
  reason: string | null;
  /**
   * The run of a tier that it belonged to.
   */
  runId: string | null;
  /**
   * Counts and codes only.
   */
  report: {
    [k: string]: unknown;
  };
  /**
   * What a change of files was about, the first 20 by path.
   */
  paths: string[];
  /**
   * Epoch ms.
   */
  startedAt: number;
  /**
   * Epoch ms.
   */
  endedAt: number | null;
}
/**
 * What stands there now.
 */
export interface Written {
  success: boolean;
  backend: string;
  /**
   * SHA-256 of the document in UTF-8, hexadecimal.
   */
  version?: string;
}
/**
 * Where a memory stands now; known: it stood there before.
 */
export interface WrittenMemory {
  tenant: string;
  user: string;
  id: string;
  externalId: string;
  status: 'written' | 'known';
  /**
   * Relations that were written.
   */
  relations: number;
  /**
   * Relations that were not, since their target is not there.
   */
  unresolvedRelations: number;
}
export interface ListMemoriesInput {
  tenant?: string;
  user: string;
  band?: 'active' | 'dormant' | 'archived';
  category?: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  memoryType?: 'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded';
  /**
   * true: those that nothing stands in place of; false: the others; left out: both.
   */
  latest?: boolean;
  limit?: number;
  cursor?: string;
}
export interface ListMemoriesAnswer {
  tenant: string;
  user: string;
  /**
   * The instant that prominence and band are as of, epoch milliseconds.
   */
  at: number;
  memories: Memory[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface CreateMemoryInput {
  tenant?: string;
  user: string;
  /**
   * The writer’s own id, unique for the user: the same id again is the same memory. Left out, one is made of content, documentDate and category.
   */
  externalId?: string | null;
  /**
   * The text of the memory, kept as it is.
   */
  content: string;
  /**
   * Left out: fact.
   */
  category?: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  /**
   * Left out: regular.
   */
  memoryType?: 'regular' | 'static_profile' | 'dynamic_profile';
  /**
   * Left out: 5.
   */
  importance?: number;
  /**
   * Left out: 0.8.
   */
  confidence?: number;
  /**
   * Left out: 0.8.
   */
  trust?: number;
  /**
   * Who said it. Left out: import, since it must not pass for the user’s own word.
   */
  origin?: 'user' | 'assistant' | 'tool' | 'import';
  /**
   * Left out: private.
   */
  visibility?: 'private' | 'shared';
  /**
   * The conversation in which it was said.
   */
  session?: string | null;
  /**
   * When it was said, from 1971-01-01 (a date in seconds lies before) to a day ahead. Left out: now.
   */
  documentDate?: number | null;
  /**
   * When it happened or will happen.
   */
  eventDate?: number | null;
  validFrom?: number | null;
  validTo?: number | null;
  expiresAt?: number | null;
  /**
   * @maxItems 64
   */
  relations?: {
    type: 'UPDATES' | 'EXTENDS';
    /**
     * The externalId of another memory of the user.
     */
    target: string;
    /**
     * Left out: 1.
     */
    confidence?: number;
  }[];
  /**
   * Kept as it is, at most 256 KiB as JSON.
   */
  metadata?: {
    [k: string]: unknown;
  };
}
export interface CreateMemoriesInput {
  tenant?: string;
  /**
   * Whose memories they are, where a memory does not say.
   */
  user?: string;
  /**
   * @minItems 1
   * @maxItems 500
   */
  memories: [NewMemory, ...NewMemory[]];
}
export interface CreateMemoriesAnswer {
  tenant: string;
  written: number;
  known: number;
  refused: number;
  usersCreated: number;
  /**
   * Relations that were written.
   */
  relations: number;
  /**
   * Relations that were not, since their target is not there.
   */
  unresolvedRelations: number;
  memories: MemoryOutcome[];
}
export interface GetMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  /**
   * Left out: whoever of the tenant it belongs to.
   */
  user?: string;
}
export interface EditMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  user: string;
  content?: string;
  category?: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
  importance?: number;
  validFrom?: number | null;
  validTo?: number | null;
  eventDate?: number | null;
  /**
   * The version that was read: another one is not edited. Left out: any.
   */
  expectedVersion?: number;
  /**
   * Who edits, for the journal. Left out: the name of the token.
   */
  by?: string;
}
export interface EditMemoryAnswer {
  tenant: string;
  user: string;
  id: string;
  before: number;
  version: number;
  /**
   * The fusion or merge that had to be undone for it.
   */
  undoneFusion: string | null;
  /**
   * Memories that are latest again.
   */
  reopened: string[];
  /**
   * By which it can be undone; null when there was nothing to change.
   */
  changeSetId: string | null;
}
export interface RecallMemoriesInput {
  tenant?: string;
  user: string;
  query: string;
  /**
   * At most so many. Left out: 10, or 50 where a budget is given.
   */
  limit?: number;
  /**
   * Characters of all contents together.
   */
  maxChars?: number;
  /**
   * The same in tokens, of which each is taken for four characters; of the two, the smaller holds.
   */
  maxTokens?: number;
  /**
   * @minItems 1
   * @maxItems 5
   */
  categories?: [
    'preference' | 'fact' | 'event' | 'relationship' | 'insight',
    ...('preference' | 'fact' | 'event' | 'relationship' | 'insight')[],
  ];
  /**
   * @minItems 1
   * @maxItems 5
   */
  memoryTypes?: [
    'static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded',
    ...('static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded')[],
  ];
  /**
   * Epoch milliseconds: said then or later, by the newest day of a derived memory.
   */
  saidAfter?: number;
  /**
   * Epoch milliseconds: said before that, by the oldest day of a derived memory.
   */
  saidBefore?: number;
  /**
   * Epoch milliseconds: holds then, by validFrom and validTo.
   */
  validAt?: number;
  minTrust?: number;
  /**
   * How far what is prominent, and what was said recently, goes first among what answers alike: shares of the score, 0.03 and 0.05 where left out.
   */
  priors?: {
    prominence?: number;
    recency?: number;
  };
  /**
   * Adds `parts`.
   */
  explain?: boolean;
  /**
   * Also memories that others have taken the place of.
   */
  includeSuperseded?: boolean;
}
export interface RecallMemoriesAnswer {
  tenant: string;
  user: string;
  memories: RecalledMemory[];
  /**
   * Whether the question was not embedded, so that words alone found them.
   */
  degraded: boolean;
  /**
   * Why not, as a code. `budget`: a budget does not allow what the embedder charges; the others: how the embedder failed.
   */
  reason:
    | (
        | 'budget'
        | 'rate_limited'
        | 'overloaded'
        | 'server_error'
        | 'timeout'
        | 'network'
        | 'invalid_request'
        | 'too_large'
        | 'auth'
        | 'invalid_response'
      )
    | null;
}
export interface ExplainMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  /**
   * Left out: whoever of the tenant it belongs to.
   */
  user?: string;
}
export interface ConfirmMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  /**
   * Left out: whoever of the tenant it belongs to.
   */
  user?: string;
}
export interface DemoteMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  /**
   * Left out: whoever of the tenant it belongs to.
   */
  user?: string;
  /**
   * What prominence is multiplied by.
   */
  factor: number;
}
export interface SetProminenceInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  /**
   * Left out: whoever of the tenant it belongs to.
   */
  user?: string;
  value: number;
}
export interface TraceMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Steps in either direction.
   */
  depth?: number;
}
export interface TraceMemoryAnswer {
  tenant: string;
  user: string;
  id: string;
  /**
   * cold: in cold storage; forgotten: removed on request; gone: taken away otherwise.
   */
  state: 'here' | 'cold' | 'forgotten' | 'gone';
  content: string | null;
  memoryType: ('static_profile' | 'dynamic_profile' | 'regular' | 'derived' | 'superseded') | null;
  isLatest: boolean;
  origin: ('user' | 'assistant' | 'tool' | 'import') | null;
  learnedFrom:
    | (
        | 'conversation'
        | 'correction'
        | 'inference'
        | 'consolidation'
        | 'nrem_consolidation'
        | 'rem_exploration'
        | 'self_reflection'
        | 'import'
      )
    | null;
  trust: number | null;
  createdAt: number | null;
  supersededBy: string | null;
  /**
   * What made it, or what kept it of two duplicates.
   */
  fusion: {
    key: string;
    /**
     * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
     */
    kind: 'fusion' | 'merge' | 'restatement';
    /**
     * applied, undone, forgotten and so on.
     */
    status: string;
    runId: string | null;
    /**
     * When it last changed.
     */
    at: number;
  } | null;
  /**
   * Fusions that it was a source of, undone and refused ones included.
   */
  parts: {
    key: string;
    /**
     * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
     */
    kind: 'fusion' | 'merge' | 'restatement';
    /**
     * applied, undone, forgotten and so on.
     */
    status: string;
    runId: string | null;
    /**
     * When it last changed.
     */
    at: number;
    superseded: boolean;
  }[];
  /**
   * Conversations that it rests on.
   */
  sessions: string[];
  madeOf: LineageBranch[];
  madeInto: LineageBranch[];
  /**
   * There is more than was gone through.
   */
  truncated: boolean;
}
export interface ForgetMemoryInput {
  /**
   * Our id of the memory, or the one that its writer gave it.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Tells what would go, and writes nothing.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for the journal. Left out: the name of the token.
   */
  by?: string;
}
export interface ForgetSessionInput {
  /**
   * The writer’s id of the session.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Tells what would go, and writes nothing.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for the journal. Left out: the name of the token.
   */
  by?: string;
}
export interface ForgetUserInput {
  user: string;
  tenant?: string;
  /**
   * Tells what would go, and writes nothing.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for the journal. Left out: the name of the token.
   */
  by?: string;
  /**
   * The user once more; needed unless dryRun is true.
   */
  confirm?: string;
}
export interface ImportMemoriesInput {
  /**
   * auto: by the Content-Type, else by the first line.
   */
  format?: 'auto' | 'jsonl' | 'text';
  /**
   * Where lines do not say; left out: the caller’s own, or "default".
   */
  tenant?: string;
  /**
   * Where lines do not say; required for plain text.
   */
  user?: string;
  /**
   * When it was said, where lines do not say: a date such as 2026-03-01 or 2026-03-01T12:00:00Z.
   */
  date?: string;
  /**
   * Of an export: add its memories to what is there, instead of restoring it.
   */
  merge?: boolean;
  /**
   * What is sent, as it is.
   */
  body: RawBody;
}
export interface ExportMemoriesInput {
  tenant?: string;
  /**
   * Left out: every user of the tenant.
   */
  user?: string;
}
export interface RequestConsolidationInput {
  tenant?: string;
  user: string;
  tier: 'light' | 'deep' | 'sleep';
  preview?: boolean;
}
export interface RequestConsolidationAnswer {
  runId: string;
  /**
   * It had been asked for before.
   */
  existing: boolean;
  tier: 'light' | 'deep' | 'sleep';
  statusUrl: string;
  /**
   * Of a preview.
   */
  previewUrl?: string;
}
export interface ReadConsolidationInput {
  runId: string;
  tenant?: string;
  user: string;
  /**
   * How long to wait for its end at most.
   */
  waitSeconds?: number;
}
export interface ReadConsolidationAnswer {
  runId: string;
  tenant: string;
  user: string;
  tier: 'light' | 'deep' | 'sleep';
  why: 'schedule' | 'adhoc' | 'sweep' | 'retry' | 'batch';
  /**
   * abandoned: put back, somebody else goes on with it. cancelled: ended because somebody asked for that.
   */
  status: 'requested' | 'running' | 'completed' | 'failed' | 'abandoned' | 'cancelled';
  /**
   * It has ended for good.
   */
  finished: boolean;
  /**
   * It does everything up to the commit, and nothing after it.
   */
  preview: boolean;
  requestedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /**
   * When somebody asked for its end.
   */
  cancelRequestedAt: number | null;
  errorCode: string | null;
  report: RunReport | null;
  /**
   * Once it is finished: what it fused, 200 at most.
   */
  fusions?: Fusion[];
}
export interface CancelConsolidationInput {
  runId: string;
  tenant?: string;
  user: string;
  /**
   * Who asks for it, for the log.
   */
  by?: string;
}
export interface ListRunsInput {
  tenant?: string;
  user?: string;
  tier?: 'light' | 'deep' | 'sleep';
  /**
   * abandoned: put back, somebody else goes on with it. cancelled: ended because somebody asked for that.
   */
  status?: 'requested' | 'running' | 'completed' | 'failed' | 'abandoned' | 'cancelled';
  limit?: number;
  cursor?: string;
}
export interface ListRunsAnswer {
  tenant: string;
  runs: RunSummary[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ReadRunInput {
  id: string;
  tenant?: string;
  user: string;
}
export interface ReadRunAnswer {
  runId: string;
  tenant: string;
  user: string;
  tier: 'light' | 'deep' | 'sleep';
  why: 'schedule' | 'adhoc' | 'sweep' | 'retry' | 'batch';
  /**
   * abandoned: put back, somebody else goes on with it. cancelled: ended because somebody asked for that.
   */
  status: 'requested' | 'running' | 'completed' | 'failed' | 'abandoned' | 'cancelled';
  /**
   * It has ended for good.
   */
  finished: boolean;
  /**
   * It does everything up to the commit, and nothing after it.
   */
  preview: boolean;
  requestedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /**
   * When somebody asked for its end.
   */
  cancelRequestedAt: number | null;
  errorCode: string | null;
  /**
   * Null before it has ended.
   */
  report: RunReport | null;
  totals: RunTotals;
  /**
   * Its entries in the journal.
   */
  changes: {
    total: number;
    /**
     * Taken back, and not made good again.
     */
    undone: number;
    /**
     * Can be undone, unless something later stands on one of them.
     */
    undoable: number;
  };
  /**
   * The 200 that changed last; GET /v1/fusions?run= lists all.
   */
  fusions: Fusion[];
}
export interface PreviewRunInput {
  id: string;
  tenant?: string;
  user: string;
}
export interface PreviewRunAnswer {
  runId: string;
  tier: 'light' | 'deep' | 'sleep';
  /**
   * Of the preview itself.
   */
  status: 'requested' | 'running' | 'completed' | 'failed' | 'abandoned' | 'cancelled';
  errorCode: string | null;
  fusions: {
    key: string;
    status:
      | 'planned'
      | 'generated'
      | 'review'
      | 'applied'
      | 'stale'
      | 'failed'
      | 'rejected'
      | 'expired'
      | 'undone'
      | 'forgotten'
      | 'closed';
    verdict:
      | 'ok'
      | 'not_shorter'
      | 'invalid_output'
      | 'refused'
      | 'truncated'
      | 'share_exceeded'
      | 'provider_error'
      | 'stale'
      | 'unanswered'
      | 'nothing'
      | 'over';
    errorCode: string | null;
    derived: DerivedMemory | null;
    covered: string[];
    sources: {
      id: string;
      content: string;
      category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
      documentDate: number;
      fate: 'superseded' | 'confirmed' | 'kept';
    }[];
    conflicts: ReportedPair[];
  }[];
  merges: {
    key: string;
    status:
      | 'planned'
      | 'generated'
      | 'review'
      | 'applied'
      | 'stale'
      | 'failed'
      | 'rejected'
      | 'expired'
      | 'undone'
      | 'forgotten'
      | 'closed';
    verdict: 'ok' | 'stale' | 'over';
    /**
     * The one that stays first.
     */
    sources: {
      id: string;
      content: string;
      category: 'preference' | 'fact' | 'event' | 'relationship' | 'insight';
      documentDate: number;
      fate: 'superseded' | 'confirmed' | 'kept';
    }[];
  }[];
}
export interface UndoRunInput {
  /**
   * The run’s id.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Only tell what would happen.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for whoever reads the journal; left out: the caller.
   */
  by?: string;
}
export interface RedoRunInput {
  /**
   * The run’s id.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Only tell what would happen.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for whoever reads the journal; left out: the caller.
   */
  by?: string;
}
export interface ReadUsageInput {
  tenant?: string;
  user?: string;
  /**
   * How many days, with the present one.
   */
  days?: number;
}
export interface ReadUsageAnswer {
  tenant: string;
  user: string | null;
  /**
   * The begin of the first day, epoch ms.
   */
  since: number;
  total: CallUsage;
  /**
   * The oldest first.
   */
  days: {
    day: string;
    calls: number;
    /**
     * Of the calls: asked for in batches, answered or not yet.
     */
    batchedCalls: number;
    /**
     * All that was read, from a cache or not.
     */
    inputTokens: number;
    /**
     * Of what was read: found in the cache of the provider.
     */
    cacheReadTokens: number;
    /**
     * Of what was read: put into the cache of the provider.
     */
    cacheWriteTokens: number;
    outputTokens: number;
    /**
     * Most tokens of calls of which nobody knows whether they were answered.
     */
    heldTokens: number;
    /**
     * US dollars of the calls whose price was known; held ones in full.
     */
    costDollars: number;
    /**
     * Calls whose price was not known.
     */
    unpricedCalls: number;
  }[];
  /**
   * What cost most first.
   */
  models: {
    model: string;
    calls: number;
    /**
     * Of the calls: asked for in batches, answered or not yet.
     */
    batchedCalls: number;
    /**
     * All that was read, from a cache or not.
     */
    inputTokens: number;
    /**
     * Of what was read: found in the cache of the provider.
     */
    cacheReadTokens: number;
    /**
     * Of what was read: put into the cache of the provider.
     */
    cacheWriteTokens: number;
    outputTokens: number;
    /**
     * Most tokens of calls of which nobody knows whether they were answered.
     */
    heldTokens: number;
    /**
     * US dollars of the calls whose price was known; held ones in full.
     */
    costDollars: number;
    /**
     * Calls whose price was not known.
     */
    unpricedCalls: number;
  }[];
  /**
   * What cost most first.
   */
  steps: {
    step: string;
    calls: number;
    /**
     * Of the calls: asked for in batches, answered or not yet.
     */
    batchedCalls: number;
    /**
     * All that was read, from a cache or not.
     */
    inputTokens: number;
    /**
     * Of what was read: found in the cache of the provider.
     */
    cacheReadTokens: number;
    /**
     * Of what was read: put into the cache of the provider.
     */
    cacheWriteTokens: number;
    outputTokens: number;
    /**
     * Most tokens of calls of which nobody knows whether they were answered.
     */
    heldTokens: number;
    /**
     * US dollars of the calls whose price was known; held ones in full.
     */
    costDollars: number;
    /**
     * Calls whose price was not known.
     */
    unpricedCalls: number;
  }[];
  /**
   * The 100 who cost most, the dearest first.
   */
  users: {
    user: string;
    calls: number;
    /**
     * Of the calls: asked for in batches, answered or not yet.
     */
    batchedCalls: number;
    /**
     * All that was read, from a cache or not.
     */
    inputTokens: number;
    /**
     * Of what was read: found in the cache of the provider.
     */
    cacheReadTokens: number;
    /**
     * Of what was read: put into the cache of the provider.
     */
    cacheWriteTokens: number;
    outputTokens: number;
    /**
     * Most tokens of calls of which nobody knows whether they were answered.
     */
    heldTokens: number;
    /**
     * US dollars of the calls whose price was known; held ones in full.
     */
    costDollars: number;
    /**
     * Calls whose price was not known.
     */
    unpricedCalls: number;
  }[];
}
export interface ReadEstimateInput {
  tenant?: string;
  user?: string;
  limit?: number;
  cursor?: string;
}
export interface ReadEstimateAnswer {
  tenant: string;
  /**
   * The instant of the plan, epoch ms.
   */
  at: number;
  users: {
    user: string;
    steps: {
      step: 'conflicts' | 'nrem' | 'judge' | 'rem' | 'reflection';
      requests: number;
      inputTokens: number;
      /**
       * As answers usually are.
       */
      outputTokens: number;
    }[];
  }[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ListFusionsInput {
  tenant?: string;
  user?: string;
  status?:
    | 'planned'
    | 'generated'
    | 'review'
    | 'applied'
    | 'stale'
    | 'failed'
    | 'rejected'
    | 'expired'
    | 'undone'
    | 'forgotten'
    | 'closed';
  tier?: 'light' | 'deep' | 'sleep';
  run?: string;
  limit?: number;
  cursor?: string;
}
export interface ListFusionsAnswer {
  tenant: string;
  fusions: Fusion[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ReadFusionInput {
  key: string;
  tenant?: string;
  user: string;
}
export interface ListReviewsInput {
  tenant?: string;
  user?: string;
  limit?: number;
  cursor?: string;
}
export interface ListReviewsAnswer {
  tenant: string;
  reviews: Review[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ApproveFusionInput {
  key: string;
  tenant?: string;
  user: string;
  /**
   * Who decides, for whoever looks at it later; left out: the caller.
   */
  by?: string;
}
export interface ApproveFusionAnswer {
  tenant: string;
  user: string;
  key: string;
  /**
   * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
   */
  kind: 'fusion' | 'merge' | 'restatement';
  status: 'applied';
  /**
   * The derived memory; of a merge, the one that stays.
   */
  makes: string;
  superseded: number;
  /**
   * It had been applied before.
   */
  already: boolean;
}
export interface RejectFusionInput {
  key: string;
  tenant?: string;
  user: string;
  /**
   * Who decides, for whoever looks at it later; left out: the caller.
   */
  by?: string;
}
export interface RejectFusionAnswer {
  tenant: string;
  user: string;
  key: string;
  /**
   * A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say statements again, and each that does is a merge.
   */
  kind: 'fusion' | 'merge' | 'restatement';
  status: 'rejected';
  /**
   * It had been rejected before.
   */
  already: boolean;
}
export interface UndoFusionInput {
  /**
   * The fusion’s key.
   */
  key: string;
  tenant?: string;
  user: string;
  /**
   * Only tell what would happen.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for whoever reads the journal; left out: the caller.
   */
  by?: string;
}
export interface RedoFusionInput {
  /**
   * The fusion’s key.
   */
  key: string;
  tenant?: string;
  user: string;
  /**
   * Only tell what would happen.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for whoever reads the journal; left out: the caller.
   */
  by?: string;
}
export interface ListChangeSetsInput {
  user: string;
  tenant?: string;
  limit?: number;
  cursor?: string;
  /**
   * The last entry of the page before; cursor does the same.
   */
  before?: string;
  /**
   * Only of this run.
   */
  run?: string;
  /**
   * Only of this fusion.
   */
  fusion?: string;
  /**
   * Only what touched this memory: our id, or the writer’s own.
   */
  memory?: string;
}
export interface ListChangeSetsAnswer {
  tenant: string;
  user: string;
  changeSets: ChangeSet[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ReadChangeSetInput {
  /**
   * The change set’s id.
   */
  id: string;
  tenant?: string;
  user: string;
}
export interface ReadChangeSetAnswer {
  tenant: string;
  user: string;
  id: string;
  kind:
    | 'fusion'
    | 'undo'
    | 'redo'
    | 'edit'
    | 'merge'
    | 'conflict'
    | 'prominence'
    | 'audit'
    | 'archive'
    | 'prune'
    | 'restore'
    | 'rem'
    | 'reflection'
    | 'forget'
    | 'consolidate';
  /**
   * Who asked for it; null for the tiers themselves.
   */
  actor: string | null;
  runId: string | null;
  fusionKey: string | null;
  createdAt: number;
  /**
   * The change set that this one took back.
   */
  undoes: string | null;
  /**
   * The change set that took this one back; null while it stands.
   */
  undoneBy: string | null;
  /**
   * From then on it cannot be undone or redone.
   */
  imagesDroppedAt: number | null;
  /**
   * Rows that the journal still holds images of.
   */
  counts: {
    memories: number;
    relations: number;
    conflicts: number;
  };
  rows: {
    table: 'memories' | 'relations' | 'conflicts';
    key: {
      [k: string]: string;
    };
    how: 'added' | 'changed' | 'removed';
    /**
     * The columns that differ, by name.
     */
    columns: {
      [k: string]: {
        before?: unknown;
        after?: unknown;
      };
    };
  }[];
}
export interface UndoChangeSetInput {
  /**
   * The change set’s id.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Only tell what would happen.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for whoever reads the journal; left out: the caller.
   */
  by?: string;
}
export interface RedoChangeSetInput {
  /**
   * The change set’s id.
   */
  id: string;
  tenant?: string;
  user: string;
  /**
   * Only tell what would happen.
   */
  dryRun?: boolean;
  /**
   * Who asks for it, for whoever reads the journal; left out: the caller.
   */
  by?: string;
}
export interface ListConflictsInput {
  tenant?: string;
  user?: string;
  status?: 'reported' | 'open' | 'resolved' | 'all';
  limit?: number;
  cursor?: string;
}
export interface ListConflictsAnswer {
  tenant: string;
  conflicts: Conflict[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ReadConflictInput {
  id: string;
  tenant?: string;
  user: string;
}
export interface ReadConflictAnswer {
  tenant: string;
  id: string;
  user: string;
  /**
   * reported: waits for a label. open: waits for a person.
   */
  status: 'reported' | 'open' | 'resolved';
  /**
   * Null until it is labelled.
   */
  type: ('compatible' | 'contradictory' | 'subsumes' | 'ambiguous') | null;
  /**
   * Who said that the two may disagree.
   */
  source: 'fusion' | 'twins' | 'person' | 'consolidate';
  /**
   * The question that both answer, in a model’s words.
   */
  slot: string | null;
  /**
   * Why they disagree, in a model’s words.
   */
  description: string | null;
  confidence: number | null;
  /**
   * The side that alone stays out of fusion; null: both.
   */
  accuser: string | null;
  winner: string | null;
  resolution: string | null;
  resolvedBy: ('code' | 'policy' | 'person' | 'gone') | null;
  actor: string | null;
  detectedAt: number;
  resolvedAt: number | null;
  /**
   * One of the two was superseded or says something else by now.
   */
  stale: boolean;
  a: ConflictSide;
  b: ConflictSide;
}
export interface ResolveConflictInput {
  id: string;
  tenant?: string;
  user: string;
  keep: 'a' | 'b' | 'both';
  note?: string;
  /**
   * Who decides; left out: the caller.
   */
  by?: string;
}
export interface ResolveConflictAnswer {
  tenant: string;
  user: string;
  id: string;
  /**
   * The memory that holds; null when both do.
   */
  winner: string | null;
  loser: string | null;
  resolution: string;
  /**
   * By which it can be undone.
   */
  changeSetId: string;
}
export interface ListUsersInput {
  tenant?: string;
  /**
   * Whether a tier should have run by now and nothing holds it back.
   */
  overdue?: boolean;
  quarantined?: boolean;
  /**
   * Whether a tier is paused, for them or with others.
   */
  paused?: boolean;
  limit?: number;
  cursor?: string;
}
export interface ListUsersAnswer {
  tenant: string;
  users: User[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ReadUserInput {
  user: string;
  tenant?: string;
}
export interface ReadUserAnswer {
  tenant: string;
  user: string;
  /**
   * An IANA name.
   */
  timezone: string;
  /**
   * Minutes after local midnight.
   */
  quietStart: number;
  /**
   * Minutes after local midnight; equal to the start: no quiet hours.
   */
  quietEnd: number;
  /**
   * How fusions are applied: by themselves, after a person said yes, or not at all.
   */
  mode: 'auto' | 'review' | 'off';
  /**
   * How contradictions are settled: by asking a person, or for the newest where that is safe.
   */
  conflictPolicy: 'ask' | 'newest_wins';
  createdAt: number;
  /**
   * Nothing runs for this user until an operator releases them.
   */
  quarantine: {
    code: string;
    since: number;
  } | null;
  tiers: {
    light: TierState;
    deep: TierState;
    sleep: TierState;
  };
  /**
   * How many memories.
   */
  bands: {
    total: number;
    latest: number;
    active: number;
    dormant: number;
    archived: number;
    superseded: number;
    derived: number;
  };
}
export interface UpdateUserInput {
  user: string;
  tenant?: string;
  /**
   * An IANA name like Europe/Berlin.
   */
  timezone?: string;
  quietStart?: number;
  quietEnd?: number;
  /**
   * How fusions are applied: by themselves, after a person said yes, or not at all.
   */
  mode?: 'auto' | 'review' | 'off';
  /**
   * How contradictions are settled: by asking a person, or for the newest where that is safe.
   */
  conflictPolicy?: 'ask' | 'newest_wins';
}
export interface UpdateUserAnswer {
  tenant: string;
  user: string;
  /**
   * An IANA name.
   */
  timezone: string;
  /**
   * Minutes after local midnight.
   */
  quietStart: number;
  /**
   * Minutes after local midnight; equal to the start: no quiet hours.
   */
  quietEnd: number;
  /**
   * How fusions are applied: by themselves, after a person said yes, or not at all.
   */
  mode: 'auto' | 'review' | 'off';
  /**
   * How contradictions are settled: by asking a person, or for the newest where that is safe.
   */
  conflictPolicy: 'ask' | 'newest_wins';
}
export interface SetModeInput {
  user: string;
  tenant?: string;
  /**
   * How fusions are applied: by themselves, after a person said yes, or not at all.
   */
  mode: 'auto' | 'review' | 'off';
}
export interface SetModeAnswer {
  tenant: string;
  user: string;
  /**
   * How fusions are applied: by themselves, after a person said yes, or not at all.
   */
  mode: 'auto' | 'review' | 'off';
}
export interface SetConflictPolicyInput {
  user: string;
  tenant?: string;
  /**
   * How contradictions are settled: by asking a person, or for the newest where that is safe.
   */
  policy: 'ask' | 'newest_wins';
}
export interface SetConflictPolicyAnswer {
  tenant: string;
  user: string;
  /**
   * How contradictions are settled: by asking a person, or for the newest where that is safe.
   */
  policy: 'ask' | 'newest_wins';
}
export interface PauseUserInput {
  user: string;
  tenant?: string;
  /**
   * Left out: all of them.
   *
   * @minItems 1
   * @maxItems 3
   */
  tiers?: ['light' | 'deep' | 'sleep', ...('light' | 'deep' | 'sleep')[]];
}
export interface PauseUserAnswer {
  tenant: string;
  user: string;
  paused: ('light' | 'deep' | 'sleep')[];
}
export interface ResumeUserInput {
  user: string;
  tenant?: string;
  /**
   * Left out: all of them.
   *
   * @minItems 1
   * @maxItems 3
   */
  tiers?: ['light' | 'deep' | 'sleep', ...('light' | 'deep' | 'sleep')[]];
}
export interface ResumeUserAnswer {
  tenant: string;
  user: string;
  paused: ('light' | 'deep' | 'sleep')[];
}
export interface PauseTenantInput {
  tenant: string;
  /**
   * Left out: all of them.
   *
   * @minItems 1
   * @maxItems 3
   */
  tiers?: ['light' | 'deep' | 'sleep', ...('light' | 'deep' | 'sleep')[]];
}
export interface PauseTenantAnswer {
  tenant: string;
  tiers: ('light' | 'deep' | 'sleep')[];
  paused: boolean;
  /**
   * How many tiers of users.
   */
  changed: number;
}
export interface ResumeTenantInput {
  tenant: string;
  /**
   * Left out: all of them.
   *
   * @minItems 1
   * @maxItems 3
   */
  tiers?: ['light' | 'deep' | 'sleep', ...('light' | 'deep' | 'sleep')[]];
}
export interface ResumeTenantAnswer {
  tenant: string;
  tiers: ('light' | 'deep' | 'sleep')[];
  paused: boolean;
  /**
   * How many tiers of users.
   */
  changed: number;
}
export interface PauseTierInput {
  tier: 'light' | 'deep' | 'sleep';
}
export interface PauseTierAnswer {
  tier: 'light' | 'deep' | 'sleep';
  paused: boolean;
  changed: boolean;
}
export interface ResumeTierInput {
  tier: 'light' | 'deep' | 'sleep';
}
export interface ResumeTierAnswer {
  tier: 'light' | 'deep' | 'sleep';
  paused: boolean;
  changed: boolean;
}
export interface ListQuarantineInput {
  tenant?: string;
}
export interface ListQuarantineAnswer {
  tenant: string;
  users: QuarantinedUser[];
}
export interface ReleaseUserInput {
  user: string;
  tenant?: string;
}
export interface ReleaseUserAnswer {
  tenant: string;
  user: string;
  /**
   * False: the user was not in quarantine.
   */
  released: boolean;
  /**
   * Why they were.
   */
  code?: string;
  since?: number;
}
export interface ReadTenantSettingsInput {
  tenant: string;
}
export interface ReadTenantSettingsAnswer {
  tenant: string;
  /**
   * Whether questions of the night may wait in batches, where the service is configured to use them: the provider keeps them for weeks, outside any agreement to retain nothing.
   */
  batches: boolean;
}
export interface SetTenantSettingsInput {
  tenant: string;
  batches: boolean;
}
export interface SetTenantSettingsAnswer {
  tenant: string;
  /**
   * Whether questions of the night may wait in batches, where the service is configured to use them: the provider keeps them for weeks, outside any agreement to retain nothing.
   */
  batches: boolean;
}
export interface ReadEvaluationInput {
  tenant: string;
}
export interface ReadEvaluationAnswer {
  tenant: string;
  /**
   * When it was stored, epoch milliseconds.
   */
  evaluatedAt: number | null;
  evaluation: Evaluation | null;
}
export interface StoreEvaluationInput {
  tenant: string;
  version: 1;
  /**
   * What the files are called, without their folders.
   *
   * @maxItems 1000
   */
  files: string[];
  users: number;
  memories: number;
  questions: {
    [k: string]: number;
  };
  model: string;
  embedder: string;
  /**
   * @minItems 1
   * @maxItems 61
   */
  stages: [
    {
      /**
       * Simulated nights before it.
       */
      nights: number;
      store: {
        memories: number;
        characters: number;
        vectors: number;
        derived: number;
        superseded: number;
        archived: number;
        duplicates: {
          planted: number;
          left: number;
        } | null;
        lengthRatio: number | null;
      };
      searches: {
        recall: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        bm25: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        cosine: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        newest: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
      };
      /**
       * Groups of notes that say the same of which two were together: in the window of a plan, in a request, in a proposed and in an accepted statement; refused statements by lane; absent where the set marks none.
       */
      groups?: {
        groups: number;
        met: number;
        offered: number;
        proposed: number;
        accepted: number;
        refused: {
          [k: string]: number;
        };
        byLanguage: {
          [k: string]: {
            groups: number;
            met: number;
            offered: number;
            proposed: number;
            accepted: number;
          };
        };
        requests: number;
        tokens: number;
        saved: number;
      };
      /**
       * How the model answered from what recall brought back, graded by itself; absent where it was not asked.
       */
      answering?: {
        questions: number;
        right: number;
        failed: number;
        inputTokens: number;
        outputTokens: number;
      };
      digests: {
        newest: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        important: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        random: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
      };
    },
    ...{
      /**
       * Simulated nights before it.
       */
      nights: number;
      store: {
        memories: number;
        characters: number;
        vectors: number;
        derived: number;
        superseded: number;
        archived: number;
        duplicates: {
          planted: number;
          left: number;
        } | null;
        lengthRatio: number | null;
      };
      searches: {
        recall: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        bm25: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        cosine: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
        newest: {
          recall5: number | null;
          recall10: number | null;
          plainRecall10: number | null;
          all10: number | null;
          reciprocalRank: number | null;
          recallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          plainRecallWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          answerWithin: {
            '500': number | null;
            '1500': number | null;
            '4000': number | null;
          };
          outdatedAbove: number | null;
          rejected: number | null;
          characters10: number | null;
          byType: {
            single: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            multi: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            temporal: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            update: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
            unanswerable: {
              questions: number;
              recall10: number | null;
              recall1500: number | null;
              answer1500: number | null;
            };
          };
        };
      };
      /**
       * Groups of notes that say the same of which two were together: in the window of a plan, in a request, in a proposed and in an accepted statement; refused statements by lane; absent where the set marks none.
       */
      groups?: {
        groups: number;
        met: number;
        offered: number;
        proposed: number;
        accepted: number;
        refused: {
          [k: string]: number;
        };
        byLanguage: {
          [k: string]: {
            groups: number;
            met: number;
            offered: number;
            proposed: number;
            accepted: number;
          };
        };
        requests: number;
        tokens: number;
        saved: number;
      };
      /**
       * How the model answered from what recall brought back, graded by itself; absent where it was not asked.
       */
      answering?: {
        questions: number;
        right: number;
        failed: number;
        inputTokens: number;
        outputTokens: number;
      };
      digests: {
        newest: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        important: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
        random: {
          '1000': {
            lines: number;
            words: number;
          };
          '2000': {
            lines: number;
            words: number;
          };
          '4000': {
            lines: number;
            words: number;
          };
          '8000': {
            lines: number;
            words: number;
          };
        };
      };
    }[],
  ];
  costDollars: number;
  runs: number;
}
export interface StoreEvaluationAnswer {
  tenant: string;
  /**
   * When it was stored, epoch milliseconds.
   */
  evaluatedAt: number | null;
  evaluation: Evaluation | null;
}
export interface ListWorkspacesInput {
  tenant?: string;
  user: string;
}
export interface ListWorkspacesAnswer {
  tenant: string;
  user: string;
  workspaces: Workspace[];
}
export interface PutWorkspaceInput {
  /**
   * The name of a workspace.
   */
  workspace: string;
  tenant?: string;
  user: string;
  backend?: string;
  rootDir?: string | null;
  memoryEnabled?: boolean;
  projectionEnabled?: boolean;
  importEnabled?: boolean;
  quotaBytes?: number;
  insightsEnabled?: boolean;
  insightsSchedule?: string;
  insightsTimezone?: string | null;
  insightsMinIntervalMs?: number;
  insightsMinGrowth?: number;
}
export interface PutWorkspaceAnswer {
  created: boolean;
  workspace: Workspace;
}
export interface GetWorkspaceInput {
  /**
   * The name of a workspace.
   */
  workspace: string;
  tenant?: string;
  user: string;
}
export interface RemoveWorkspaceInput {
  /**
   * The name of a workspace.
   */
  workspace: string;
  tenant?: string;
  user: string;
  /**
   * The name once more, for a workspace whose documents are in the database.
   */
  confirm?: string;
}
export interface RemoveWorkspaceAnswer {
  tenant: string;
  user: string;
  workspace: string;
  removed: true;
}
export interface ListWorkspaceRunsInput {
  /**
   * The name of a workspace.
   */
  workspace: string;
  tenant?: string;
  user: string;
  limit?: number;
  cursor?: string;
  work?: 'insights' | 'import' | 'projection' | 'files';
}
export interface ListWorkspaceRunsAnswer {
  tenant: string;
  user: string;
  workspace: string;
  runs: WorkspaceRun[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface GetWorkspaceRunInput {
  workspace: string;
  run: string;
  tenant?: string;
  user: string;
}
export interface GetWorkspaceRunAnswer {
  tenant: string;
  user: string;
  workspace: string;
  run: WorkspaceRun;
}
export interface UndoWorkspaceRunInput {
  workspace: string;
  run: string;
  tenant?: string;
  user: string;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface UndoWorkspaceRunAnswer {
  tenant: string;
  user: string;
  workspace: string;
  id: string;
  work: 'insights' | 'import' | 'projection' | 'files';
  status: 'undone' | 'already_undone';
  /**
   * Documents that stand again as they did.
   */
  paths: string[];
}
export interface PreviewProjectionInput {
  /**
   * The name of a workspace.
   */
  workspace: string;
  tenant?: string;
  user: string;
}
export interface PreviewProjectionAnswer {
  tenant: string;
  user: string;
  workspace: string;
  documents: {
    path: string;
    before: string | null;
    after: string | null;
    /**
     * Null: it would stay as it is.
     */
    diff: {
      line: number;
      removed: string[];
      added: string[];
    } | null;
  }[];
  report: {
    promotion: {
      considered: number;
      /**
       * How many pass each gate; one memory may pass several.
       */
      gates: {
        [k: string]: number;
      };
      passed: number;
      held: number;
      disputed: number;
      thoughts: number;
    } | null;
    memory: {
      lines: number;
      added: number;
      noRoom: number;
      ownWords: number;
      byHand: number;
      same: number;
      removed: number;
      edited: number;
      forgotten: number;
      chars: number;
    } | null;
    dreams: {
      added: boolean;
      entries: number;
      rotated: number;
      forgotten: number;
    } | null;
  };
}
export interface ProjectMemoriesInput {
  /**
   * The name of a workspace.
   */
  workspace: string;
  tenant?: string;
  user: string;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface ProjectMemoriesAnswer {
  tenant: string;
  user: string;
  workspace: string;
  id: string;
  status: 'completed' | 'failed' | 'undone';
  reason: string | null;
  repeated: boolean;
  report: {
    promotion: {
      considered: number;
      /**
       * How many pass each gate; one memory may pass several.
       */
      gates: {
        [k: string]: number;
      };
      passed: number;
      held: number;
      disputed: number;
      thoughts: number;
    } | null;
    memory: {
      lines: number;
      added: number;
      noRoom: number;
      ownWords: number;
      byHand: number;
      same: number;
      removed: number;
      edited: number;
      forgotten: number;
      chars: number;
    } | null;
    dreams: {
      added: boolean;
      entries: number;
      rotated: number;
      forgotten: number;
    } | null;
    writes: {
      path: string;
      write: string;
      before: string | null;
      after: string;
    }[];
    plan?: {
      before: string | null;
      after: string;
      lines: {
        memoryId: string;
        lineHash: string;
      }[];
    };
  };
}
export interface ReadMemoryInput {
  tenant?: string;
  user: string;
  workspace: string;
}
export interface ReadMemoryAnswer {
  content: string;
  exists: boolean;
  /**
   * The type of the backend that answered.
   */
  backend: string;
  /**
   * SHA-256 of the document in UTF-8, hexadecimal.
   */
  version?: string;
  /**
   * Nothing could be read: empty for want of an answer.
   */
  degraded?: boolean;
}
export interface WriteMemoryInput {
  tenant?: string;
  user: string;
  workspace: string;
  content: string;
  /**
   * The version that was read; null: nothing stands there yet; left out: the last writer wins.
   */
  expectedVersion?: string | null;
  /**
   * Another name of expectedVersion.
   */
  expectedSha256?: string | null;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface ReadDocumentInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  path: string;
  /**
   * With neither this nor lineCount: the whole document.
   */
  startLine?: number;
  lineCount?: number;
}
export interface ReadDocumentAnswer {
  path: string;
  content: string;
  startLine: number;
  /**
   * Below startLine when the window begins after the last line.
   */
  endLine: number;
  totalLines: number;
  /**
   * The type of the backend that answered.
   */
  backend: string;
  /**
   * Whether the document has lines that are not among these.
   */
  truncated: boolean;
  /**
   * SHA-256 of the document in UTF-8, hexadecimal.
   */
  version?: string;
}
export interface WriteDocumentInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  path: string;
  content: string;
  /**
   * The version that was read; null: nothing stands there yet; left out: the last writer wins.
   */
  expectedVersion?: string | null;
  /**
   * Another name of expectedVersion.
   */
  expectedSha256?: string | null;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface WriteDocumentAnswer {
  success: boolean;
  backend: string;
  /**
   * SHA-256 of the document in UTF-8, hexadecimal.
   */
  version?: string;
  /**
   * The run of the workspace that undoes it; null: everything stood so already.
   */
  runId?: string | null;
}
export interface AppendToDocumentInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  path: string;
  content: string;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface RemoveDocumentInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  path: string;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface RenameDocumentInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  path: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  newPath: string;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface BrowseDocumentsInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.
   */
  path: string;
}
export interface BrowseDocumentsAnswer {
  /**
   * below_file: a part of the path is a file, so that nothing can stand there.
   */
  kind: 'file' | 'folder' | 'none' | 'below_file';
  entries: {
    /**
     * Below /memories; a folder ends with a slash.
     */
    path: string;
    /**
     * In bytes of UTF-8; 0 for a folder.
     */
    size: number;
  }[];
  /**
   * The type of the backend that answered.
   */
  backend: string;
}
export interface ListDocumentsInput {
  tenant?: string;
  user: string;
  workspace: string;
}
export interface ListDocumentsAnswer {
  files: {
    path: string;
    label: string;
    layer: 'long-term' | 'daily' | 'dreams';
    /**
     * In bytes of UTF-8.
     */
    size: number;
    /**
     * ISO 8601.
     */
    updatedAt: string;
  }[];
  /**
   * The type of the backend that answered.
   */
  backend: string;
}
export interface SearchDocumentsInput {
  tenant?: string;
  user: string;
  workspace: string;
  query: string;
  /**
   * Default 5.
   */
  limit?: number;
}
export interface SearchDocumentsAnswer {
  hits: {
    path: string;
    lineStart: number;
    lineEnd: number;
    snippet: string;
    /**
     * Comparable within one answer only.
     */
    score: number;
    backend: string;
    degraded?: boolean;
  }[];
  /**
   * Whether the backend’s own index could not answer.
   */
  degraded: boolean;
  /**
   * Why not, as a code.
   */
  reason: string | null;
  source: 'index' | 'files';
}
export interface DescribeBackendInput {
  tenant?: string;
  user: string;
  workspace: string;
}
export interface DescribeBackendAnswer {
  type: string;
  name: string;
  capabilities: {
    readable: boolean;
    writable: boolean;
    supportsAtomicWrite: boolean;
    hasConflictResolution: boolean;
    persistent: boolean;
  };
  /**
   * Types that a workspace may have here.
   */
  types: string[];
  /**
   * What instructions to an agent may say of the memory.
   */
  instructionContext: {
    backendType: string;
    backendName: string;
    capabilities: {
      readable: boolean;
      writable: boolean;
      supportsAtomicWrite: boolean;
      hasConflictResolution: boolean;
      persistent: boolean;
    };
    instructionPathHint: string | null;
  };
}
export interface ReadInsightsInput {
  tenant?: string;
  user: string;
  workspace: string;
}
export interface ReadInsightsAnswer {
  content: string;
  exists: boolean;
  /**
   * The type of the backend that answered.
   */
  backend: string;
  /**
   * SHA-256 of the document in UTF-8, hexadecimal.
   */
  version?: string;
}
export interface WriteInsightsInput {
  tenant?: string;
  user: string;
  workspace: string;
  content: string;
  /**
   * The version that was read; null: nothing stands there yet; left out: the last writer wins.
   */
  expectedVersion?: string | null;
  /**
   * Another name of expectedVersion.
   */
  expectedSha256?: string | null;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface ExtractInsightsInput {
  tenant?: string;
  user: string;
  workspace: string;
  /**
   * Neither the switch nor the least time nor the growth count.
   */
  force?: boolean;
  /**
   * Who does it, for the log. Left out: the name of the token.
   */
  by?: string;
}
export interface ExtractInsightsAnswer {
  status: 'queued';
  /**
   * The run that does it; null: the next run of the light tier.
   */
  runId: string | null;
}
export interface AuditMemoryInput {
  tenant?: string;
  user: string;
  workspace: string;
}
export interface AuditMemoryAnswer {
  report: {
    /**
     * ISO 8601, as all instants of this report.
     */
    generatedAt: string;
    workingMemory: {
      exists: boolean;
      size: number;
      sectionCount: number;
      lastModified?: string;
    };
    insightsMemory: {
      exists: boolean;
      size: number;
      insightCount: number;
      categories: {
        [k: string]: number;
      };
      lastUpdated?: string;
    };
    extraction: {
      runAt: string;
      success: boolean;
      insightCount: number;
      duplicateCount: number;
      skippedCount: number;
      summary: string;
      error?: string;
    };
    pruning: {
      applied: boolean;
      reason: string;
      sizeDelta: number;
      originalSize: number;
      newSize: number;
      status?: 'applied' | 'nothing' | 'rejected';
    };
    checks: {
      id: string;
      name: string;
      passed: boolean;
      details: string;
    }[];
    health: 'healthy' | 'warning' | 'issues';
  };
  content: string;
  /**
   * The type of the backend that answered.
   */
  backend: string;
}
export interface CreateTokenInput {
  tenant?: string;
  /**
   * What people call it; it stands in the journal beside what it changed.
   */
  name: string;
  role: 'read' | 'write' | 'admin';
  /**
   * Whether what an assistant writes with it over MCP may pass for the user’s own word; else its origin is assistant, and its trust at most 0.5.
   */
  speaksForUser?: boolean;
  expiresAt?: number | null;
}
export interface CreateTokenAnswer {
  tenant: string;
  secret: string;
  token: Token;
}
export interface ListTokensInput {
  tenant?: string;
  limit?: number;
  cursor?: string;
}
export interface ListTokensAnswer {
  tenant: string;
  tokens: Token[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface ReadTokenAnswer {
  /**
   * "operator" for the operator’s own.
   */
  name: string;
  /**
   * Null: every tenant.
   */
  tenant: string | null;
  role: 'read' | 'write' | 'admin';
  /**
   * Whether what an assistant writes with it over MCP may pass for the user’s own word; else its origin is assistant, and its trust at most 0.5.
   */
  speaksForUser: boolean;
}
export interface RevokeTokenInput {
  id: string;
  tenant?: string;
}
export interface RevokeTokenAnswer {
  tenant: string;
  token: Token;
}
export interface CreateWebhookInput {
  tenant?: string;
  /**
   * https, without user, password and fragment. Whether it may be called is said when it is given.
   */
  url: string;
  /**
   * @minItems 1
   * @maxItems 3
   */
  events?: [
    'run.finished' | 'conflict.found' | 'fusion.failed',
    ...('run.finished' | 'conflict.found' | 'fusion.failed')[],
  ];
}
export interface CreateWebhookAnswer {
  tenant: string;
  /**
   * The key of the signatures, shown this once: whsec_ and base64.
   */
  secret: string;
  webhook: Webhook;
}
export interface ListWebhooksInput {
  tenant?: string;
}
export interface ListWebhooksAnswer {
  tenant: string;
  webhooks: Webhook[];
}
export interface UpdateWebhookInput {
  id: string;
  tenant?: string;
  /**
   * https, without user, password and fragment. Whether it may be called is said when it is given.
   */
  url?: string;
  /**
   * @minItems 1
   * @maxItems 3
   */
  events?: [
    'run.finished' | 'conflict.found' | 'fusion.failed',
    ...('run.finished' | 'conflict.found' | 'fusion.failed')[],
  ];
  active?: boolean;
}
export interface UpdateWebhookAnswer {
  tenant: string;
  webhook: Webhook;
}
export interface RemoveWebhookInput {
  id: string;
  tenant?: string;
}
export interface TestWebhookInput {
  id: string;
  tenant?: string;
}
export interface TestWebhookAnswer {
  tenant: string;
  /**
   * The webhook-id of the message.
   */
  id: string;
  delivered: boolean;
  /**
   * HTTP status of the answer, if there was one.
   */
  status: number | null;
  errorCode: string | null;
  durationMs: number;
}
export interface ListWebhookDeliveriesInput {
  id: string;
  tenant?: string;
  limit?: number;
  cursor?: string;
}
export interface ListWebhookDeliveriesAnswer {
  tenant: string;
  deliveries: WebhookDelivery[];
  /**
   * Give it as cursor for the next page; null on the last one.
   */
  nextCursor: string | null;
}
export interface RotateWebhookSecretInput {
  id: string;
  tenant?: string;
}
export interface RotateWebhookSecretAnswer {
  tenant: string;
  /**
   * The key of the signatures, shown this once: whsec_ and base64.
   */
  secret: string;
  webhook: Webhook;
}
export interface GetLivenessAnswer {
  status: 'live';
}
export interface GetOpenApiAnswer {
  openapi: string;
  [k: string]: unknown;
}
export type CreateMemoryAnswer = WrittenMemory;
export type GetMemoryAnswer = MemoryDetail;
export type ExplainMemoryAnswer = MemoryExplanation;
export type ConfirmMemoryAnswer = ProminenceChange;
export type DemoteMemoryAnswer = ProminenceChange;
export type SetProminenceAnswer = ProminenceChange;
export type ForgetMemoryAnswer = ForgetResult;
export type ForgetSessionAnswer = ForgetResult;
export type ForgetUserAnswer = ForgetResult;
export type ImportMemoriesAnswer = ImportSummary;
export type UndoRunAnswer = UndoResult;
export type RedoRunAnswer = UndoResult;
export type ReadFusionAnswer = FusionDetail;
export type UndoFusionAnswer = UndoResult;
export type RedoFusionAnswer = UndoResult;
export type UndoChangeSetAnswer = UndoResult;
export type RedoChangeSetAnswer = UndoResult;
export type GetWorkspaceAnswer = Workspace;
export type WriteMemoryAnswer = Written;
export type AppendToDocumentAnswer = Written;
export type RemoveDocumentAnswer = FilesChanged;
export type RenameDocumentAnswer = FilesChanged;
export type WriteInsightsAnswer = Written;
export type GetReadinessAnswer = Readiness;
