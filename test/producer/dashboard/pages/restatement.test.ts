import { insertMemories, pageFusions } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStatementModel } from '../../../fakes/statement-model.ts';
import { DAY, NOW, newMemory } from '../../../fixtures/memories.ts';
import { runTier, seedPerson } from '../../../fixtures/tier-runs.ts';
import { HOST, openStage, type Stage, signIn } from '../../harness.ts';

const tenant = 't';
const HENS = 'Mara keeps two hens in the garden; Frieda, the brown one, lays no eggs in winter.';
const AGAIN = 'The brown hen Frieda lays no eggs in the winter.';

describe('the page of a restatement', () => {
  let stage: Stage;
  let textOf: (user: string, key: string) => Promise<string>;
  beforeAll(async () => {
    stage = await openStage();
    const { producer } = stage.newProducer();
    const headers = { ...HOST, ...(await signIn(producer)) };
    textOf = async (user, key) => {
      const url = `/dashboard/users/${user}/fusions/${key}?tenant=${tenant}`;
      const { body } = await producer.app.inject({ url, headers });
      return body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    };
  });
  afterAll(() => stage.dispose());

  /** A user with a statement, and a run that asked whether a note says it again. */
  async function asked(user: string, judge: 'same' | 'changed') {
    const run = (says: 'same' | 'changed') =>
      runTier(
        stage.database,
        { tenant, user, tier: 'deep', at: NOW },
        {
          provider: createStatementModel({
            write: (notes) => ({
              statements: [{ sources: notes.map(({ n }) => n), text: HENS }],
              conflicts: [],
            }),
            judge: () => says,
          }),
          statements: { judge: true },
        },
      );
    const notes = [
      'Mara keeps two hens in the garden.',
      'One of the hens that Mara keeps in the garden is called Frieda.',
      'Frieda, the brown hen of Mara, lays no eggs in winter.',
    ];
    const said = notes.map((text, at) =>
      newMemory(user, `d${at}`, text, { documentDate: NOW - (90 - at) * DAY }),
    );
    await seedPerson(stage.database, { tenant, user, memories: said });
    await run('same');
    const memories = [newMemory(user, 'again', AGAIN, { documentDate: NOW - 60 * DAY })];
    await stage.database.withTenant(tenant, (tx) => insertMemories(tx, { tenant, memories, at: NOW }));
    await run(judge);
    const list = (status: 'closed' | 'applied') =>
      stage.database.withTenant(tenant, (tx) => pageFusions(tx, { tenant, user, status, limit: 20 }));
    return {
      request: (await list('closed')).rows.find(({ kind }) => kind === 'restatement')!.key,
      merge: (await list('applied')).rows.find(({ kind }) => kind === 'merge')?.key,
    };
  }

  it('says that a statement stands for the note too, and the page of the merge why', async () => {
    const { request, merge } = await asked('mara', 'same');
    const page = await textOf('mara', request);
    expect(page).toContain(`Restatement ${request.slice(0, 8)}`);
    expect(page).toContain('1 note said a statement again, which stands for the note too');
    expect(page).toContain('Statements, each with a note that may say it again');
    const merged = await textOf('mara', merge!);
    for (const text of [page, merged]) {
      expect(text.match(/the judge found nothing lost, added or changed/g)).toHaveLength(2);
    }
    expect(merged).toContain('The statement says all that the note says');
    expect(merged).toContain(`Asked about by restatement ${request.slice(0, 8)}`);
  });

  it('says why no note does', async () => {
    const { request } = await asked('ben', 'changed');
    const page = await textOf('ben', request);
    expect(page).toContain('No note says a statement again, mostly for this reason: the judge found');
    expect(page).toContain('All memories stay as they are.');
    expect(page).toContain('no the judge found that it says something else: something else');
  });
});
