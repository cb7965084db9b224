import { beforeAll, describe, expect, it } from 'vitest';
import {
  type SpanNode,
  sleepTraced,
  TRACE_CANARIES,
  type TracedSleep,
  treeOf,
} from '../fixtures/traced-sleep.ts';

const shape = ({ span, children }: SpanNode): unknown =>
  children.length === 0 ? span.name : [span.name, children.map(shape)];

describe('the trace of a night', () => {
  let traced: TracedSleep;
  beforeAll(async () => {
    traced = await sleepTraced();
  });
  const named = (name: string) => traced.spans.find((span) => span.name === name)!;

  it('goes from the adding of the job to the commit of a fusion, in one tree', () => {
    expect(treeOf(traced.spans).map(shape)).toEqual([
      [
        'add adhoc.sleep',
        [
          [
            'process adhoc',
            [
              [
                'run sleep',
                [
                  'step notes',
                  'step embed',
                  'step conflicts',
                  // The writer's answer, and two votes on its statement.
                  ['step nrem', [['cluster', ['model call', 'gate', 'model call', 'model call', 'commit']]]],
                  'step rem',
                  'step reflection',
                  'step workspace',
                ],
              ],
            ],
          ],
        ],
      ],
    ]);
    expect(new Set(traced.spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it('says of each what came of it, in ids, words of ours and counts', () => {
    const { runId } = traced;
    expect(named('run sleep').attributes).toMatchObject({
      'slowwave.tier': 'sleep',
      'slowwave.why': 'adhoc',
      'slowwave.run_id': runId,
      'slowwave.outcome': 'completed',
    });
    expect(named('step nrem').attributes).toMatchObject({
      'slowwave.outcome': 'done',
      'slowwave.clusters.committed': 1,
      'slowwave.usage.calls': 3,
    });
    expect(named('step workspace').attributes).toMatchObject({
      'slowwave.outcome': 'skipped',
      'slowwave.reason': 'no_workspace',
    });
    expect(named('cluster').attributes).toMatchObject({
      'slowwave.members': 3,
      'slowwave.outcome': 'committed',
    });
    expect(named('model call').attributes).toMatchObject({
      'gen_ai.request.model': 'sleep-model',
      'slowwave.outcome': 'answered',
    });
    expect(named('gate').attributes).toEqual({ 'slowwave.verdict': 'passed' });
    expect(named('commit').attributes).toEqual({ 'slowwave.outcome': 'applied', 'slowwave.superseded': 3 });
  });

  it('holds no word of a memory, no tenant and no user', () => {
    const said = traced.spans.map(({ name, attributes, events, status, links, resource }) =>
      JSON.stringify({ name, attributes, events, status, links, resource: resource.attributes }),
    );
    for (const canary of TRACE_CANARIES) {
      expect(said.filter((text) => text.toLowerCase().includes(canary.toLowerCase()))).toEqual([]);
    }
    expect(traced.spans.flatMap(({ events }) => events)).toEqual([]);
  });

  it('stands in the one line that the log has of the run', () => {
    const lines = traced.log.filter(({ msg }) => msg === 'run finished');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      runId: traced.runId,
      tier: 'sleep',
      outcome: 'completed',
      steps: { done: expect.any(Number), skipped: expect.any(Number), failed: 0 },
      superseded: 3,
      modelCalls: expect.any(Number),
      traceId: named('run sleep').spanContext().traceId,
    });
  });
});
