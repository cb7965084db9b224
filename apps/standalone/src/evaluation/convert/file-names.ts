/** Names that Windows keeps for itself. */
const KEPT = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const NAME_CHARS_MAX = 60;

/** Makes the name of a file from that of a user: of letters, digits, "-", "_" and "."; no two the same on any file system. */
export function createFileNames(): (user: string) => string {
  const taken = new Set<string>();
  return (user) => {
    const plain = user
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^\.+/, '-')
      .slice(0, NAME_CHARS_MAX);
    const base = plain === '' || KEPT.test(plain.split('.')[0]!) ? `sample-${plain}` : plain;
    let name = base;
    for (let more = 2; taken.has(name.toLowerCase()); more += 1) name = `${base}-${more}`;
    taken.add(name.toLowerCase());
    return `${name}.jsonl`;
  };
}
