/** Statements with a name are parsed once by a connection, and planned only a few times: most of what a short statement costs. */
export interface StatementNames {
  /** Undefined: it is said without one. */
  nameOf(text: string): string | undefined;
}

/** What each connection keeps costs the server memory, so only so many have one. */
const NAMED_MAX = 200;
/** A text has a name from then on. Those that hang on how much is in them never come so often. */
const SAID_LEAST = 3;
/** Texts that are counted at once, at most. */
const COUNTED_MAX = 2_000;

/** The same text has the same name on every connection. */
export function createStatementNames({
  max = NAMED_MAX,
  least = SAID_LEAST,
  counted = COUNTED_MAX,
} = {}): StatementNames {
  const names = new Map<string, string>();
  const said = new Map<string, number>();
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined || names.size >= max) return known;
      const times = (said.get(text) ?? 0) + 1;
      if (times < least) {
        if (said.size >= counted) said.clear();
        said.set(text, times);
        return undefined;
      }
      said.delete(text);
      const name = `slowwave_${names.size + 1}`;
      names.set(text, name);
      return name;
    },
  };
}
