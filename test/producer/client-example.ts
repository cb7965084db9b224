import { createClient, SlowwaveProblem } from '@slowwave/client';

/** What the client's README shows, between the marks. */
export async function clientExample(
  url: string,
  token: string,
  print: (line: string) => void,
): Promise<void> {
  // example
  const client = createClient({ url, token });

  await client.createMemory({ user: 'ana', content: 'Ana plays the cello on Tuesdays.' });

  const { memories } = await client.recallMemories({ user: 'ana', query: 'When does Ana play the cello?' });
  for (const memory of memories) print(`${memory.content} (${memory.prominence})`);

  // Page after page, as long as there are any.
  for await (const memory of client.all.listMemories({ user: 'ana', category: 'fact' })) {
    print(memory.id);
  }

  const { runId } = await client.requestConsolidation({ user: 'ana', tier: 'deep' });
  const run = await client.waitForRun({ runId, user: 'ana' });
  print(run.status);

  try {
    await client.confirmMemory({ id: 'no-such-memory', user: 'ana' });
  } catch (error) {
    if (!(error instanceof SlowwaveProblem)) throw error;
    print(`${error.status} ${error.code}: ${error.detail}`);
  }
  // end
}
