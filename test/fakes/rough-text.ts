import { type CompletionRequest, type LLMProvider, type StoredAnswer, textOf } from '@slowwave/fusion';
import fc from 'fast-check';
import { CODE_POINT } from '../fixtures/code-point.ts';

/** Pieces that mean something else beside another piece, or in another place of a sentence. */
const PIECES = `
  Mara|Ines Petersen|Dr.|O'Brien|Süderstraße|NASA|it|IT|US|May|may|March|Mai|sept|noon|Monday|tuesdays|3|3.|12|1,000.50|2024-05-03|14:30|
  2 pm|3 p.m.|90 EUR|$5|5 kg|-5|half past|one|two|hundred|twenty-five|third|first|no|not|never|don't|without|nicht|n'aime|kein|不|没有|
  ない|없다|mara@example.org|https://example.org/a?b=3|www.example.com.|bread|sourdough|oven|train|hotel|ticket|garden|cello|coffee|
  drinks|plays|likes|lives in|works at|booked|and|but|because|on|in|the|a|of|with|寿司が好き|東京|タクシー|アイスクリーム|ต้มยำกุ้ง|café|
  naïve|co\u00ADoperate|ﬁsh|Ⅻ|٣|五|Kenjiさん|"quoted"|(aside)|e.g.|etc.|B|I|km|%|;|:|,|–|…`
  .split('|')
  .map((piece) => piece.trim());

/** A sentence, more or less, of words that are easily misread. */
export const roughSentence: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 12 }),
    fc.constantFrom('. ', '.', '?', '! ', '。', '\n', '', '…', '.\n'),
  )
  .map(([words, end]) => words.join(' ') + end);

/** Any text at all, lone surrogates and control characters among it. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: CODE_POINT, maxLength: 60 }),
);

/** Asks, and brings the answer into the shape that judges read. */
export async function storedAnswer(provider: LLMProvider, request: CompletionRequest): Promise<StoredAnswer> {
  const response = await provider.complete(request);
  const { stopReason, usage, model } = response;
  return { text: textOf(response), stopReason, ...usage, model };
}
