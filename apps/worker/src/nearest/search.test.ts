import { describe, expect, it } from 'vitest';
import { startSearch } from './search.ts';

const OPTIONS = { dimensions: 2, limit: 2, floor: 0.4 };
const vectors = (...components: number[]) => Float32Array.from(components);

describe('a search in a thread of its own', () => {
  it('finds the nearest of queries among themselves and among other rows, again and again', async () => {
    const search = startSearch(OPTIONS, new AbortController().signal);
    for (let time = 0; time < 2; time += 1) {
      await search.setQueries(vectors(1, 0, 0, 1));
      await search.addTile(vectors(1, 1, 1, 0, -1, 0), 2);
      const { starts, others } = await search.finish();
      expect([...starts]).toEqual([0, 2, 3]);
      expect([...others]).toEqual([3, 2, 2]);
    }
    await search.close();
  });

  it('tells what went wrong in it, and from then on refuses', async () => {
    const search = startSearch(OPTIONS, new AbortController().signal);
    await expect(search.setQueries(vectors(1, 0, 1))).rejects.toThrow();
    await expect(search.finish()).rejects.toThrow();
    await search.close();
  });

  it('is waited for no longer once the job is aborted', async () => {
    const aborting = new AbortController();
    const search = startSearch(OPTIONS, aborting.signal);
    const waiting = search.setQueries(vectors(1, 0));
    aborting.abort(new Error('the lease was lost'));
    await expect(waiting).rejects.toThrow('the lease was lost');
    await expect(search.finish()).rejects.toThrow('the lease was lost');
    await search.close();
  });
});
