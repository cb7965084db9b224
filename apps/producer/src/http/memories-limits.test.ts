import {
  LINEAGE_STEPS_MAX,
  MEMORIES_BULK_MAX,
  RECALL_CHARS_MAX,
  RECALL_ITEMS_MAX,
  RECALL_QUERY_MAX,
} from '@slowwave/api';
import {
  GIVEN_MEMORIES_MAX,
  LINEAGE_DEPTH_MAX,
  QUERY_MAX_CHARS,
  RECALL_LIMIT_MAX,
  RECALL_CHARS_MAX as STORE_CHARS_MAX,
} from '@slowwave/db';
import { describe, expect, it } from 'vitest';

describe('limits of memories', () => {
  it('that are declared are those that are kept', () => {
    expect([
      MEMORIES_BULK_MAX,
      LINEAGE_STEPS_MAX,
      RECALL_ITEMS_MAX,
      RECALL_QUERY_MAX,
      RECALL_CHARS_MAX,
    ]).toEqual([GIVEN_MEMORIES_MAX, LINEAGE_DEPTH_MAX, RECALL_LIMIT_MAX, QUERY_MAX_CHARS, STORE_CHARS_MAX]);
  });
});
