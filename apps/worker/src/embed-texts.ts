import { idsOf, type StepContext } from './context.ts';

/**
 * Embeds texts of the user. A text that the embedder refuses at any length gets a vector of zeros: it is stored with it, so that no later
 * run asks again until the text or the model changes, and it is found by its words. The log names its id.
 * @param texts.id of a memory or a session
 * @returns one vector per text
 */
export async function embedTexts(
  context: Pick<StepContext, 'embedder' | 'logger' | 'signal' | 'tenant' | 'user' | 'tier' | 'runId'>,
  texts: readonly { id: string; text: string }[],
): Promise<Float32Array[]> {
  const { embedder, logger, signal } = context;
  const refused: string[] = [];
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    { signal, onRefused: (index) => refused.push(texts[index]!.id) },
  );
  signal.throwIfAborted();
  if (refused.length > 0)
    logger.warn(
      { ...idsOf(context), model: embedder.model, ids: refused, code: 'text_refused' },
      'the embedder refuses these texts at any length: recall finds them by words alone',
    );
  return vectors;
}

/** How many of the vectors are those of texts that were refused. */
export const countRefused = (vectors: readonly Float32Array[]): number =>
  vectors.filter((vector) => vector.every((component) => component === 0)).length;
