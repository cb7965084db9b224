import { lemmaOf, phraseAt } from './lemma.ts';
import { ORIGINS } from './lexicon/families.ts';
import { GLUE } from './lexicon/glue.ts';
import { REPLACEMENTS } from './lexicon/replacements.ts';

export interface Replacement {
  from: readonly string[];
  to: readonly string[];
}

/** By each key of what is replaced. */
export const BY_KEY = readReplacements();
export const ORIGIN_OF = readOrigins();

function readReplacements(): Map<string, Replacement[]> {
  const table = new Map<string, Replacement[]>();
  const add = (from: readonly string[], to: readonly string[]): void => {
    for (const key of new Set(from)) {
      const known = table.get(key);
      if (known) known.push({ from, to });
      else table.set(key, [{ from, to }]);
    }
  };
  for (const line of REPLACEMENTS.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [left = [], right] = line.split('>').map((side) => side.split('=').flatMap(readPhrase));
    for (const one of left)
      for (const other of right ?? left) if (one.join(' ') !== other.join(' ')) add(one, other);
  }
  return table;
}

/** The keys that a phrase of the table comes to in a text: with and without the phrases that are read as one. */
function readPhrase(text: string): string[][] {
  const words = text.trim().split(' ');
  const joined: string[] = [];
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(words, at);
    if (phrase) joined.push(phrase.name);
    else if (!GLUE.has(words[at]!)) joined.push(lemmaOf(words[at]!));
    at += phrase?.length ?? 1;
  }
  const apart = words.filter((word) => !GLUE.has(word)).map(lemmaOf);
  const readings = joined.join(' ') === apart.join(' ') ? [apart] : [joined, apart];
  return readings.filter((keys) => keys.length > 0);
}

function readOrigins(): Map<string, string[]> {
  const origins = new Map<string, string[]>();
  for (const line of ORIGINS.split('|')) {
    const words = line.trim().split(' ');
    for (const word of words) origins.set(word, [...(origins.get(word) ?? []), ...words]);
  }
  return origins;
}
