import type { FusionDetail } from '@slowwave/db';
import { expect, it } from 'vitest';
import { fusionLines } from './fusion-lines.ts';

const plain = { bold: (text: string) => text, dim: (text: string) => text };
const CLOSED: FusionDetail = {
  key: 'k'.repeat(64),
  user: 'ana',
  kind: 'fusion',
  tier: 'deep',
  status: 'closed',
  errorCode: null,
  runId: null,
  attempt: 1,
  createdAt: 0,
  updatedAt: 0,
  promptVersion: 'statements-1/judge-1/m',
  model: 'm',
  inputTokens: 1,
  outputTokens: 1,
  reviewExpiresAt: null,
  decidedBy: null,
  decidedAt: null,
  derived: null,
  sources: [],
  request: null,
  statements: [{ key: 's'.repeat(64), status: 'applied', content: 'Ana has hens.' }],
  proposals: [
    {
      text: 'Ana has hens.',
      sourceIds: ['a', 'b'],
      accepted: true,
      lane: 'judged',
      details: [],
      votes: [],
      mended: false,
    },
    {
      text: 'Ana sold the car.\u001b[31m',
      sourceIds: ['c', 'd'],
      accepted: false,
      lane: 'lost',
      details: ['red'],
      votes: [],
      mended: false,
    },
  ],
  changeSetId: null,
  undoable: false,
  redoable: false,
};

it('a closed fusion tells what stands of it and what was refused, without what a terminal obeys', () => {
  const lines = fusionLines(CLOSED, plain).join('\n');
  expect(lines).toContain('applied: Ana has hens.');
  expect(lines).toContain('refused (lost), of 2 sources: Ana sold the car.');
  expect(lines).toContain('red');
  expect(lines).not.toContain('\u001b');
  expect(lines.match(/Ana has hens/g)).toHaveLength(1);
  expect(fusionLines({ ...CLOSED, request: 'q', statements: [] }, plain).join('\n')).toContain(
    'one statement of fusion q',
  );
});
