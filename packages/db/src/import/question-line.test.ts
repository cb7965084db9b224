import { describe, expect, it } from 'vitest';
import { parseImport } from './parse.ts';
import { lineOf } from './record.ts';

async function read(...lines: object[]) {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const found = [];
  for await (const line of parseImport(text, { defaults: { date: Date.UTC(2026, 0) } })) found.push(line);
  return found;
}
const GOOD = {
  kind: 'question',
  user: 'ana',
  type: 'update',
  question: 'Which dose?',
  answers: ['5 mg'],
  evidence: ['a', ['b', 'c']],
  outdated: ['2 mg'],
};

describe('a line of the kind question', () => {
  it('is read with its evidence as alternatives, and read back from its own line', async () => {
    const [line] = await read(GOOD);
    expect(line).toMatchObject({
      ok: true,
      record: { ...GOOD, tenant: 'default', evidence: [['a'], ['b', 'c']] },
    });
    const record = line!.ok ? line!.record : null;
    expect((await read(JSON.parse(lineOf(record!))))[0]).toMatchObject({ ok: true, record: record! });
  });

  it('needs neither answers nor evidence when nothing answers it', async () => {
    const [line] = await read({
      kind: 'question',
      user: 'ana',
      type: 'unanswerable',
      question: 'Which boat?',
    });
    expect(line).toMatchObject({ ok: true, record: { answers: [], evidence: [], outdated: [] } });
  });

  it.each([
    [{ type: 'sometimes' }, 'not_allowed', 'type must be one of single, multi'],
    [{ type: undefined }, 'missing', 'type is missing'],
    [{ user: undefined }, 'missing', 'user is missing'],
    [{ question: '' }, 'wrong_type', 'question must be'],
    [{ answers: 'five' }, 'wrong_type', 'answers must be'],
    [{ answers: [] }, 'missing', 'a question needs answers and evidence'],
    [{ evidence: [[]] }, 'wrong_type', 'evidence must be'],
    [{ evidence: 'a' }, 'wrong_type', 'evidence must be'],
    [{ outdated: [] }, 'missing', 'a question of the type update names'],
    [{ type: 'unanswerable' }, 'missing', 'a question needs answers and evidence'],
    [{ hint: 'x' }, 'unknown_field', 'a field other than kind'],
  ])('is refused with %j', async (more, code, message) => {
    const [line] = await read({ ...GOOD, ...more });
    expect(line).toMatchObject({ ok: false, reason: { code, message: expect.stringContaining(message) } });
  });

  it('stands once, and another question about the same is another one', async () => {
    const [, again, other] = await read(GOOD, GOOD, { ...GOOD, answers: ['five'] });
    expect(again).toMatchObject({ ok: true, duplicateOf: 1 });
    expect(other).toMatchObject({ ok: true, duplicateOf: null });
  });
});
