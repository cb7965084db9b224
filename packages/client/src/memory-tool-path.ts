/** A path of the memory tool with `.`, `..` and doubled slashes resolved. */
export interface MemoryPath {
  /** Below the memory folder, without slashes around it; '' for the folder itself. */
  name: string;
  /** As the service is asked for it: /memories, or /memories/ and the name. */
  real: string;
}

const ROOT = '/memories';

/**
 * Reads a path as the SDK's tool on a local file system does: /memories with anything directly behind it is below /memories. Percent signs
 * mean themselves.
 * @throws Error for a path that is not below /memories
 */
export function memoryPath(path: string): MemoryPath {
  if (!path.startsWith(ROOT)) throw new Error(`Path must start with /memories, got: ${path}`);
  if (path.includes('\0')) throw new Error('A path must not hold a NUL character');
  const parts = [ROOT.slice(1)];
  for (const part of path.slice(ROOT.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw escapes(path);
  }
  const [root, ...below] = parts;
  if (root !== ROOT.slice(1)) throw escapes(path);
  const name = below.join('/');
  return { name, real: name === '' ? ROOT : `${ROOT}/${name}` };
}

const escapes = (path: string): Error => new Error(`Path ${path} would escape /memories directory`);
