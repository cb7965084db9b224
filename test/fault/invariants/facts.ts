import { createHash } from 'node:crypto';
import type { NewMemory } from '@slowwave/db';
import { DAY, newMemory } from '../../fixtures/memories.ts';

interface Owner {
  tenant: string;
  user: string;
}

/** Each kind of thing has words of its own, so that facts are told apart by more than their code. */
const THINGS = [
  'jar labelled cellar',
  'bicycle marked shed',
  'drawing numbered hallway',
  'suitcase tagged attic',
  'piano registered parlour',
  'telescope stamped balcony',
  'aquarium coded kitchen',
  'lantern engraved garage',
  'carpet catalogued library',
  'kettle branded caravan',
  'mirror listed bathroom',
  'globe filed study',
  'violin inscribed conservatory',
  'ladder stencilled barn',
  'clock signed bedroom',
  'tent logged boathouse',
].map((entry) => {
  const [noun, verb, place] = entry.split(' ');
  return { noun: noun!, verb: verb!, place: place! };
});

/** Facts of one user at most: each has a thing of its own. */
export const FACTS_MAX = THINGS.length;

const hashOf = ({ tenant, user }: Owner): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([tenant, user]))
    .digest();

/** The code of a user's nth fact (from 0): it stands in this fact and in no other of anybody. */
export function codeOf(owner: Owner, nth: number): string {
  const digits = String(hashOf(owner).readUIntBE(0, 6) % 10 ** 9).padStart(9, '0');
  return `K${digits}${String(nth).padStart(2, '0')}`;
}

/** A word that stands in one memory of this user and in nothing of anybody else. */
export function canaryOf(owner: Owner): string {
  const letters = [...hashOf(owner).subarray(6, 18)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  return `heron${letters.join('')}`;
}

/** What the planted codes and words look like, as an expression of PostgreSQL and of JavaScript; also in small letters, as indexes have them. */
export const PLANTED = '(?:[Kk][0-9]{11}|[Hh]eron[a-z]{12})';
const PLANTED_EVERYWHERE = new RegExp(PLANTED, 'g');

/** The planted codes and words in a text, each once, in the case in which they were planted. */
export function plantedIn(text: string): string[] {
  const found = text.match(PLANTED_EVERYWHERE) ?? [];
  return [...new Set(found.map((word) => (/^k/i.test(word) ? word.toUpperCase() : word.toLowerCase())))];
}

/** Whether a planted code or word is this user's. */
export function isPlantedFor(owner: Owner, planted: string): boolean {
  return planted.startsWith('heron')
    ? planted === canaryOf(owner)
    : planted.slice(0, -2) === codeOf(owner, 0).slice(0, -2);
}

/** The sentence of a user's nth fact. The first one has the user's canary in it besides. */
export function sentenceOf(owner: Owner, nth: number): string {
  const { noun, verb, place } = THINGS[nth % THINGS.length]!;
  const beside = nth === 0 ? ` beside the ${canaryOf(owner)}` : '';
  return `A ${noun} ${verb} ${codeOf(owner, nth)} stands in the ${place}${beside}.`;
}

/** Whether a text says the fact of a code whole: one of its sentences has the code, its own thing and its place, and denies nothing. */
export function saysFact(text: string, code: string): boolean {
  const { noun, place } = THINGS[Number(code.slice(-2)) % THINGS.length]!;
  return text
    .split(/[.;\n]/)
    .some(
      (sentence) =>
        sentence.includes(code) &&
        sentence.includes(noun) &&
        sentence.includes(place) &&
        !/\b(?:not|never|no)\b/i.test(sentence),
    );
}

/**
 * Faded facts of one user for `seedChains`: one list per size, each a cluster of its own. Every fact has a code of its own, and the first
 * one the user's canary.
 * @param sizes facts of each cluster, FACTS_MAX altogether at most
 */
export function stormFacts(owner: Owner, sizes: readonly number[], at = Date.now()): NewMemory[][] {
  let nth = 0;
  return sizes.map((size) =>
    Array.from({ length: size }, () => {
      const serial = nth++;
      return newMemory(owner.user, `f${serial}`, sentenceOf(owner, serial), {
        documentDate: at - (90 + serial) * DAY,
      });
    }),
  );
}
