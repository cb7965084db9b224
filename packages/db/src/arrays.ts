import { type SQL, sql } from 'drizzle-orm';

/**
 * Ids as one parameter, for `id = any(…)`. An array is looked up by index or by hash, whatever the planner guesses of tables that
 * have just been filled; a join with a list of unknown length is not.
 */
export function uuidArray(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(',')}}`}::uuid[]`;
}

/** Words of a closed list as one parameter: none of them has a character that means something in an array's text. */
export function wordArray(words: readonly string[]): SQL {
  return sql`${`{${words.join(',')}}`}::text[]`;
}

/** Names as one parameter, for `= any(…)`; they may hold whatever an array literal gives a meaning to. */
export function nameArray(names: Iterable<string>): SQL {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify([...names])}::jsonb))`;
}
