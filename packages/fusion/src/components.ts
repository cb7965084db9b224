/** A link between two nodes, numbered from 0; a < b. */
export interface Link {
  a: number;
  b: number;
  weight: number;
}

/** Whether two components may become one, by their nodes. */
export type JoinRule = (one: readonly number[], other: readonly number[]) => boolean;

export interface Components {
  /** Root of a node's component. */
  find(node: number): number;
  /** The nodes of the component with this root. */
  membersOf(root: number): readonly number[];
  /** Joins the components of two nodes when `mayJoin` allows it; false when refused, true when they are one now. */
  join(a: number, b: number, mayJoin: JoinRule): boolean;
}

/** Union-find that keeps the members of each component, so that a union can be refused for what it would hold. */
export function createComponents(size: number): Components {
  const parents = Array.from({ length: size }, (_, node) => node);
  const members: number[][] = Array.from({ length: size }, (_, node) => [node]);

  function find(node: number): number {
    let root = node;
    while (parents[root] !== root) root = parents[root]!;
    let step = node;
    while (parents[step] !== root) {
      const next = parents[step]!;
      parents[step] = root;
      step = next;
    }
    return root;
  }

  function join(a: number, b: number, mayJoin: JoinRule): boolean {
    const [one, other] = [find(a), find(b)];
    if (one === other) return true;
    if (!mayJoin(members[one]!, members[other]!)) return false;
    const [big, small] = members[one]!.length >= members[other]!.length ? [one, other] : [other, one];
    for (const node of members[small]!) members[big]!.push(node);
    members[small] = [];
    parents[small] = big;
    return true;
  }

  return { find, join, membersOf: (root) => members[root]! };
}
