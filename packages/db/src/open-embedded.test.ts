import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { openInMemory } from '../../../test/fixtures/in-memory.ts';

it('a long series of transactions leaves the rest of the process its turns', async () => {
  const database = await openInMemory();
  try {
    let beats = 0;
    const timer = setInterval(() => {
      beats++;
    }, 1);
    const ends = performance.now() + 300;
    let transactions = 0;
    while (performance.now() < ends) {
      await database.asOwner((tx) => tx.rows(sql`select 1`));
      transactions++;
    }
    clearInterval(timer);
    expect(transactions).toBeGreaterThan(10);
    expect(beats).toBeGreaterThan(10);
  } finally {
    await database.close();
  }
});
