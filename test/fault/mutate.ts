import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin as VitePlugin } from 'vitest/config';
import { MUTANTS, type Mutant } from './mutants.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a mutant does to its module's text, and nothing else. */
export type Mutation = Pick<Mutant, 'name' | 'file' | 'find' | 'replace'>;

/** @throws when no mutant has this name */
export function mutantNamed(name: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.name === name);
  if (!found) throw new Error(`there is no mutant ${name}: test:mutants -- --list names them all`);
  return found;
}

/** The text without the guard. @throws when the place of the guard is not there exactly once */
export function mutateText({ name, file, find, replace }: Mutation, text: string): string {
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`mutant ${name}: its text stands ${places} times in ${file}, not once`);
  const start = text.indexOf(find);
  return text.slice(0, start) + replace + text.slice(start + find.length);
}

const placeOf = ({ file }: Mutation): string => path.join(ROOT, file);

/**
 * Applies a mutant to its module as vite loads it.
 * @param current which one; null: none
 * @param onApplied told each time
 */
export function viteMutant(current: () => Mutation | null, onApplied: () => void): VitePlugin {
  return {
    name: 'mutant',
    // Before anything else touches the text.
    enforce: 'pre',
    transform(code, id) {
      const mutation = current();
      if (mutation === null || id.split('?')[0] !== placeOf(mutation)) return null;
      const mutated = mutateText(mutation, code);
      onApplied();
      return { code: mutated, map: null };
    },
  };
}

/**
 * Applies one mutant to its module as esbuild bundles it from source.
 * @param options.required the bundle is wrong without the module: it fails then; best for a process that the guard is known to be in
 */
export function esbuildMutant(mutation: Mutation, options: { required?: boolean } = {}): EsbuildPlugin {
  const place = placeOf(mutation);
  const filter = new RegExp(`${path.basename(place).replaceAll('.', '\\.')}$`);
  return {
    name: `mutant:${mutation.name}`,
    setup(build) {
      let applied = false;
      build.onLoad({ filter }, async (loading) => {
        if (loading.path !== place) return null;
        applied = true;
        return { contents: mutateText(mutation, await readFile(place, 'utf8')), loader: 'ts' };
      });
      build.onEnd(() => {
        const missed = options.required === true && !applied;
        return missed
          ? { errors: [{ text: `mutant ${mutation.name}: the bundle has no ${mutation.file}` }] }
          : {};
      });
    },
  };
}
