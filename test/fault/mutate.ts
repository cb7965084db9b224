import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin as VitePlugin } from 'vitest/config';
import { guardedCode, type Span } from './mutants/marks.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a mutant does to its module's text, and nothing else. */
export type Mutation = Pick<Mutant, 'name' | 'file' | 'mark' | 'change'>;

/** @throws when no mutant has this name */
export function mutantNamed(name: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.name === name);
  if (!found) throw new Error(`there is no mutant ${name}: test:mutants -- --list names them all`);
  return found;
}

const replaced = (text: string, { start, end }: Span, by: string): string =>
  text.slice(0, start) + by + text.slice(end);

/** The text without the guard. @throws when its mark is not there exactly once, or the change does not fit what it marks */
export function mutateText({ name, file, mark, change }: Mutation, text: string): string {
  const fail = (why: string): never => {
    throw new Error(`mutant ${name}: ${why} (guard: ${mark} in ${file})`);
  };
  const guarded = guardedCode(text, mark);
  if (typeof guarded === 'string') return fail(guarded);
  if (change === 'removed') return replaced(text, guarded.withSeparator, '');
  if (typeof change !== 'string') return replaced(text, guarded.code, change.is);
  if (!guarded.condition) return fail(`what is marked has no condition that could ${change} hold`);
  return replaced(text, guarded.condition, change === 'never' ? 'false' : 'true');
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
