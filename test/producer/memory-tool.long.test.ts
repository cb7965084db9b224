import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectOracle, KINDS, openToolStage } from './memory-tool-stage.ts';

/** Of each kind of workspace; 5,000 in all. */
const SEQUENCES = 2_500;
const TIMEOUT_MS = 2 * 3_600_000;

describe('the memory tool', () => {
  let stage: Awaited<ReturnType<typeof openToolStage>>;
  beforeAll(async () => {
    stage = await openToolStage();
  });
  afterAll(() => stage?.close());

  it.each(KINDS)(
    'thousands of sequences of commands: the answers, the errors and the files of the tool of the SDK: %s',
    (kind) => expectOracle(() => stage.made(kind), SEQUENCES),
    TIMEOUT_MS,
  );
});
