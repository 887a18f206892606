// Derivation trees as the service sends them.
import type { Row } from "./rows";

export type Node = {
  rule?: string;
  token?: string;
  text?: string;
  occurrence?: number;
  start: number; // in bytes
  end: number;
  children?: Node[];
};

/** A Span is a part of an input, in bytes. */
export type Span = { start: number; end: number };

/** A Chain is a node with the only children below it, which share its row. */
export type Chain = { nodes: Node[]; last: Node };

export const nameOf = (n: Node): string => n.rule ?? n.token ?? "";

function chainOf(node: Node): Chain {
  const nodes = [node];
  let last = node;
  for (let only = last.children?.[0]; last.rule !== undefined && last.children?.length === 1 && only; only = last.children?.[0]) {
    nodes.push(only);
    last = only;
  }
  return { nodes, last };
}

const small = 300; // nodes of a tree that is shown in full at first
const shallow = 4; // levels of other trees that are shown at first

/** Returns the number of nodes of a tree. */
export function size(root: Node): number {
  let n = 0;
  for (const stack = [root]; stack.length > 0; n++) stack.push(...(stack.pop()?.children ?? []));
  return n;
}

/** Returns the visible rows of a tree. Toggled holds the keys of rows that are not in their initial state. */
export function visibleRows(root: Node, toggled: ReadonlySet<string>, nodes: number): Row<Chain>[] {
  const rows: Row<Chain>[] = [];
  const stack = [{ node: root, key: "0", level: 1, position: 1, siblings: 1 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const chain = chainOf(next.node);
    const children = chain.last.children ?? [];
    const initially = chain.last.token === undefined && (nodes <= small || next.level <= shallow);
    const expanded = children.length > 0 && initially !== toggled.has(next.key);
    rows.push({ ...next, expandable: children.length > 0, expanded, value: chain });
    if (!expanded) continue;
    for (let i = children.length - 1; i >= 0; i--) {
      const child = children[i];
      if (child) stack.push({ node: child, key: `${next.key}.${i}`, level: next.level + 1, position: i + 1, siblings: children.length });
    }
  }
  return rows;
}

const maxMatches = 500;

/** A Match is an occurrence of a path: the part of the input around it, and the tokens of the rules that the path goes through. */
export type Match = { region: Span; tokens: Span[] };

/** Returns the occurrences of a path of grammar symbols in trees. */
export function findPath(roots: Node[], path: number[]): Match[] {
  const found: Match[] = [];
  const above: Node[] = []; // the nodes from the root to the current one
  const stack = roots.map((node) => ({ node, depth: 0 }));
  for (let next = stack.pop(); next && found.length < maxMatches; next = stack.pop()) {
    above.length = next.depth;
    above.push(next.node);
    const first = above.length - path.length;
    if (first >= 0 && path.every((occurrence, i) => above[first + i]?.occurrence === occurrence)) {
      found.push(matchOf(above.slice(Math.max(first - 1, 0))));
    }
    for (const node of next.node.children ?? []) stack.push({ node, depth: next.depth + 1 });
  }
  return found;
}

function matchOf(chain: Node[]): Match {
  const outer = chain[0] as Node;
  const last = chain[chain.length - 1] as Node;
  const leaves = chain.slice(0, -1).flatMap((n) => (n.children ?? []).filter((c) => c.rule === undefined));
  if (last.rule === undefined) leaves.push(last);
  return { region: outer, tokens: leaves };
}
