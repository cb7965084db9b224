import { type EmbedOptions, ModelError } from '@slowwave/fusion';

/** A text of so many characters or fewer is not shortened any more: no model has a window too small for it. */
const FLOOR_CHARS = 128;
/** What any embedder embeds, if it embeds at all. */
const PLAIN_TEXT = 'slowwave';

/** Embeds texts in one request. @returns one unit vector per text */
export type EmbedBatch = (texts: string[]) => Promise<Float32Array[]>;

/** Whether an embedder refused what it was given, in a way that another text may not be refused. */
function isRefusal(error: unknown): error is ModelError {
  return error instanceof ModelError && (error.code === 'too_large' || isBadRequest(error));
}

function isBadRequest({ code, status }: ModelError): boolean {
  return code === 'invalid_request' && (status === 400 || status === 422);
}

/**
 * Embeds batches of which the embedder may refuse some texts, mostly because they are longer than its window. A batch that is refused is
 * halved; a single text is cut to a half, a quarter and so on. A text that is refused at the least length too is told to `onRefused`,
 * and gets a vector of zeros.
 *
 * An embedder that refuses every text has another complaint (the model, the key, a parameter): before a batch is split, either an earlier
 * answer or that to a plain word has to show that it embeds anything.
 * @returns embeds one batch. @throws what `embedBatch` throws; without `onRefused` also the refusal of a text
 */
export function createShortening(
  embedBatch: EmbedBatch,
  { onRefused }: Pick<EmbedOptions, 'onRefused'>,
): (texts: string[], from: number) => Promise<Float32Array[]> {
  /** Components of a vector; null until the embedder has answered. */
  let dimensions: number | null = null;

  async function ask(texts: string[]): Promise<Float32Array[]> {
    const vectors = await embedBatch(texts);
    dimensions ??= vectors[0]?.length ?? null;
    return vectors;
  }

  async function proveAnswering(refusal: ModelError): Promise<void> {
    if (dimensions !== null) return;
    await ask([PLAIN_TEXT]).catch((error: unknown) => {
      throw isRefusal(error) ? refusal : error;
    });
  }

  async function embedOne(text: string, index: number, refusal: ModelError): Promise<Float32Array> {
    for (let length = text.length; length > FLOOR_CHARS; ) {
      length = Math.max(FLOOR_CHARS, Math.floor(length / 2));
      try {
        return (await ask([text.slice(0, length)]))[0]!;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    if (!onRefused) throw refusal;
    onRefused(index);
    return new Float32Array(dimensions!);
  }

  return async function embed(texts: string[], from: number): Promise<Float32Array[]> {
    try {
      return await ask(texts);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await proveAnswering(error);
      if (texts.length === 1) return [await embedOne(texts[0]!, from, error)];
      const half = Math.ceil(texts.length / 2);
      const first = await embed(texts.slice(0, half), from);
      return [...first, ...(await embed(texts.slice(half), from + half))];
    }
  };
}
