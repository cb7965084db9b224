/**
 * Reads the part of YAML that docker-compose.yml uses: maps by indentation, anchors, merges, plain and quoted scalars, lists on one
 * or on several lines. What it does not know is an error, so that nothing slips past the tests unread.
 */
export type Node = string | Node[] | { [key: string]: Node };

interface Line {
  indent: number;
  text: string;
  number: number;
}

const isMap = (node: Node | undefined): node is { [key: string]: Node } =>
  typeof node === 'object' && !Array.isArray(node);

function scalar(text: string): Node {
  if (text.startsWith('[')) return JSON.parse(text) as string[];
  if (text.startsWith('"')) return JSON.parse(text) as string;
  return text;
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((raw, index) => ({ indent: raw.search(/\S/), text: raw.trim(), number: index + 1 }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'));
}

export function readCompose(source: string): { [key: string]: Node } {
  const lines = linesOf(source);
  const anchors = new Map<string, Node>();
  let at = 0;

  const readList = (indent: number): Node[] => {
    const items: Node[] = [];
    for (let line = lines[at]; line?.indent === indent && line.text.startsWith('- '); line = lines[at]) {
      items.push(scalar(line.text.slice(2)));
      at += 1;
    }
    return items;
  };

  const readBlock = (outer: number): Node => {
    const first = lines[at];
    if (!first || first.indent <= outer) return '';
    return first.text.startsWith('- ') ? readList(first.indent) : readMap(first.indent);
  };

  const readMap = (indent: number): { [key: string]: Node } => {
    const merged: { [key: string]: Node } = {};
    const own: { [key: string]: Node } = {};
    for (let line = lines[at]; line && line.indent >= indent; line = lines[at]) {
      const [, key, rest] = /^([\w.<-]+):(?:\s+(.+))?$/.exec(line.text) ?? [];
      if (line.indent !== indent || key === undefined)
        throw new Error(`line ${line.number} is not understood`);
      at += 1;
      if (key === '<<') {
        const node = anchors.get(rest?.replace('*', '') ?? '');
        if (!isMap(node)) throw new Error(`line ${line.number} merges something unknown`);
        Object.assign(merged, node);
      } else if (rest === undefined || rest.startsWith('&')) {
        const node = readBlock(indent);
        own[key] = node;
        if (rest) anchors.set(rest.slice(1), node);
      } else own[key] = scalar(rest);
    }
    return { ...merged, ...own };
  };
  return readMap(0);
}

/** The node at a path of keys; an error when there is none, so that a renamed key cannot empty a test. */
export function nodeAt(root: Node, ...path: string[]): Node {
  let node: Node | undefined = root;
  for (const key of path) {
    node = isMap(node) ? node[key] : undefined;
    if (node === undefined) throw new Error(`docker-compose.yml has no ${path.join('.')}`);
  }
  return node;
}

export function mapAt(root: Node, ...path: string[]): { [key: string]: Node } {
  const node = nodeAt(root, ...path);
  if (!isMap(node)) throw new Error(`${path.join('.')} is not a map`);
  return node;
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as compose does.
 * @throws {Error} with the message when a required name is missing
 */
export function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind?: string, rest = '') => {
    const value = env[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
}
