/** By language: words that stand between two commas though they part no statement. */
const ASIDES: Readonly<Record<string, string>> = {
  ru: 'возможно|вероятно|наверное|может быть|скорее всего|кстати|похоже|кажется|по-видимому|к счастью|к сожалению|например|однако|впрочем',
  de: 'vielleicht|wahrscheinlich|vermutlich|übrigens|zum Beispiel|leider|möglicherweise',
  fr: 'peut-être|probablement|par exemple|malheureusement|sans doute',
  es: 'quizás|quizá|tal vez|probablemente|por ejemplo|posiblemente|además|también',
  it: 'forse|probabilmente|per esempio|purtroppo|inoltre|però',
  pt: 'talvez|provavelmente|por exemplo|possivelmente|também|porém',
  nl: 'misschien|waarschijnlijk|bijvoorbeeld|helaas',
  pl: 'być może|prawdopodobnie|na przykład|niestety|może',
  sv: 'kanske|troligen|till exempel',
  tr: 'belki|muhtemelen|örneğin',
};

const PATTERNS = new Map(
  Object.entries(ASIDES).map(([code, words]) => [code, new RegExp(`,\\s+(${words})\\s*,`, 'giu')]),
);

/** A text without the commas around "perhaps" and the like: what stands before and after them is one statement. */
export function joinAsides(text: string, code: string): string {
  const pattern = PATTERNS.get(code);
  return pattern ? text.replace(pattern, ' $1') : text;
}
