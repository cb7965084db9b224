import { languageOfAll } from '../gate/difference-words.ts';
import type { SaidText } from '../gate/hard-facts.ts';
import { extractAtoms } from '../reading/atoms.ts';
import { readTokens } from '../reading/tokens.ts';
import type { KeyedHash } from './items.ts';
import { SHIPPED_CANARIES } from './shipped-canaries.ts';

/** A statement about one source whose verdict is known: a judge that gets it wrong is not believed in anything else. */
export interface Canary {
  text: string;
  source: SaidText;
  expected: 'accepted' | 'refused';
}

type Rewrite = (text: string) => string | null;

const replaceOnce =
  (pattern: RegExp, by: string): Rewrite =>
  (text) =>
    pattern.test(text) ? text.replace(pattern, by) : null;

/** Rewrites of English that change what is said. */
const CHANGES: readonly Rewrite[] = [
  replaceOnce(/\b(does|do|did|is|are|was|were|has|have|had|should|could|would) ?(?:not|n't)\b/i, '$1'),
  replaceOnce(/\bnever\b(?! again\b)/i, 'always'),
  replaceOnce(/\b(?:might|may) (?=[a-z]+\b)/, 'will '),
  replaceOnce(/(?<!\b(?:the|an|his|her|my|their) )\b(?:only|almost) /, ''),
  replaceOnce(/\b(?:plans|hopes|wants) to (?=[a-z]+ )/i, 'has begun to '),
  replaceOnce(
    /(?<!\b(?:as|even|only|what|wonders?|asks?|asked|sees?|knows?)),? (?:if|unless) [^.;]+(?=[.;]|$)/i,
    '',
  ),
  replaceOnce(/\bsome\b(?= (?:of|[a-z]{4,}s)\b)/i, 'all'),
  replaceOnce(/\bbefore\b(?! (?:yesterday|long|now)\b)/i, 'after'),
];

/** Exchanges the two numbers or the two names of a text: right in any language. */
function exchanged(text: string): string | null {
  const atoms = extractAtoms(text);
  const tokens = readTokens(text);
  for (const wanted of ['number', 'name'] as const) {
    const found = atoms.filter(({ kind, sure, from, to }) => kind === wanted && sure && to - from === 1);
    const [one, other] = found.map(({ from }) => tokens[from]!.text);
    if (found.length !== 2 || !one || !other || one.toLowerCase() === other.toLowerCase()) continue;
    const places = [text.indexOf(one), text.lastIndexOf(other)];
    if (places[0] === -1 || places[1]! < places[0]! + one.length) continue;
    return `${text.slice(0, places[0])}${other}${text.slice(places[0]! + one.length, places[1])}${one}${text.slice(places[1]! + other.length)}`;
  }
  return null;
}

/**
 * One canary that says the same as its source, from a list, and one that does not: made from the cluster where code knows how, else from
 * the list too. Which one follows from the hash. Those of the list bear days of the cluster, so that nothing tells them from statements.
 */
export function canariesFor(cluster: readonly SaidText[], hash: KeyedHash): Canary[] {
  const language = languageOfAll(cluster.map(({ content }) => content));
  const seed = hash(JSON.stringify(cluster));
  const number = (at: number) => Number.parseInt(seed.slice(at, at + 6), 16);
  const changed =
    firstOf(language === 'en' ? cluster : [], CHANGES, number(6)) ?? firstOf(cluster, [exchanged], number(6));
  const count = SHIPPED_CANARIES.length;
  const shipped = SHIPPED_CANARIES[number(12) % count]!;
  const other = SHIPPED_CANARIES[(number(12) + 1 + (number(18) % (count - 1))) % count]!;
  const dayAt = (at: number) => cluster[number(at) % Math.max(1, cluster.length)]?.day ?? null;
  return [
    { source: { content: shipped.source, day: dayAt(0) }, text: shipped.same, expected: 'accepted' },
    {
      ...(changed ?? { source: { content: other.source, day: dayAt(3) }, text: other.changed }),
      expected: 'refused',
    },
  ];
}

/** The first rewrite that applies to a source and changes its text, beginning at a place that a number decides. */
function firstOf(
  sources: readonly SaidText[],
  rewrites: readonly Rewrite[],
  begin: number,
): { source: SaidText; text: string } | null {
  const pairs = sources.flatMap((source) => rewrites.map((rewrite) => ({ source, rewrite })));
  for (let at = 0; at < pairs.length; at += 1) {
    const { source, rewrite } = pairs[(begin + at) % pairs.length]!;
    const text = rewrite(source.content);
    if (text !== null && text !== source.content && text.trim() !== '') return { source, text };
  }
  return null;
}
