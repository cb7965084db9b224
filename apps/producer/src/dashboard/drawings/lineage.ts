import type { Lineage, LineageBranch, LineageNode } from '@slowwave/db';
import { shortId } from '../format.ts';
import { type Html, html, type Value } from '../html.ts';
import { wordsOf } from '../parts.ts';
import { memoryPage, type Visit } from '../visit.ts';
import { codeText } from '../words.ts';

const BOX = { width: 210, height: 44, gapX: 56, gapY: 12 };
const NODES_DRAWN_MAX = 40;
const LABEL_CHARS = 27;

interface Placed {
  node: LineageNode;
  column: number;
  row: number;
  /** Whom it is joined to; null of the memory that is asked about. */
  parent: Placed | null;
  link: string | null;
}

/** Memories in columns: what it is made of on the left, itself, and what was made of it on the right. */
function place(lineage: Lineage): Placed[] {
  const rows = { left: 0, right: 0 };
  const placed: Placed[] = [];
  const start: Placed = { node: lineage, column: 0, row: 0, parent: null, link: null };
  const walk = (branches: readonly LineageBranch[], parent: Placed, side: 'left' | 'right'): number[] =>
    branches.map((branch) => {
      const by = side === 'left' ? -1 : 1;
      const entry: Placed = { node: branch, column: parent.column + by, row: 0, parent, link: branch.how };
      placed.push(entry);
      const below = walk(branch.next, entry, side);
      entry.row = below.length > 0 ? (Math.min(...below) + Math.max(...below)) / 2 : rows[side]++;
      return entry.row;
    });
  const sides = [walk(lineage.madeOf, start, 'left'), walk(lineage.madeInto, start, 'right')];
  const middle = ([first, last]: [number, number]) => (first + last) / 2;
  const [longest = []] = sides.sort((one, other) => other.length - one.length);
  start.row = longest.length > 0 ? middle([Math.min(...longest), Math.max(...longest)]) : 0;
  // A shorter side stands at the height of the memory itself.
  for (const side of ['left', 'right'] as const) {
    const own = placed.filter(({ column }) => (side === 'left' ? column < 0 : column > 0));
    const shift = start.row - (rows[side] - 1) / 2;
    if (rows[side] > 0) for (const entry of own) entry.row += shift;
  }
  const lowest = Math.min(...placed.map(({ row }) => row), start.row);
  for (const entry of [start, ...placed]) entry.row -= lowest;
  return [start, ...placed];
}

const LINK_WORDS = { derives: 'fused', updates: 'superseded', edited: 'edited' } as const;

/** A lineage drawn, and as a list with the texts. Large ones are only listed. */
export function lineageView(visit: Visit, user: string, lineage: Lineage): Html {
  const placed = place(lineage);
  const drawing = placed.length > 1 && placed.length <= NODES_DRAWN_MAX ? draw(visit, user, placed) : null;
  return html`${drawing}<div class="${drawing ? 'sides lineage-list' : 'sides'}">${listOf(visit, user, 'Made of', lineage.madeOf)}${listOf(visit, user, 'Made into', lineage.madeInto)}</div>${
    lineage.truncated && html`<p class="small quiet">There is more than is shown here.</p>`
  }`;
}

function draw(visit: Visit, user: string, placed: readonly Placed[]): Html {
  const first = Math.min(...placed.map(({ column }) => column));
  const columns = Math.max(...placed.map(({ column }) => column)) - first + 1;
  const rows = Math.max(...placed.map(({ row }) => row)) + 1;
  const width = columns * BOX.width + (columns - 1) * BOX.gapX + 4;
  const height = rows * BOX.height + (rows - 1) * BOX.gapY + 4;
  const x = ({ column }: Placed) => 2 + (column - first) * (BOX.width + BOX.gapX);
  const y = ({ row }: Placed) => 2 + row * (BOX.height + BOX.gapY);
  const lines = placed.map((entry) => {
    if (entry.parent === null) return null;
    const [one, other] = entry.column < entry.parent.column ? [entry, entry.parent] : [entry.parent, entry];
    const from = { x: x(one) + BOX.width, y: y(one) + BOX.height / 2 };
    const to = { x: x(other), y: y(other) + BOX.height / 2 };
    const bend = (from.x + to.x) / 2;
    return html`<path d="M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}"></path>`;
  });
  return html`<svg class="lineage" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="Lineage, drawn; the lists below say the same">${lines}${placed.map(
    (entry) => boxOf(visit, user, entry, { x: x(entry), y: y(entry) }),
  )}</svg>`;
}

function boxOf(
  visit: Visit,
  user: string,
  { node, parent, link }: Placed,
  at: { x: number; y: number },
): Html {
  const state = parent === null ? 'here' : node.state === 'here' ? '' : 'gone';
  const how = link === null ? 'this memory' : LINK_WORDS[link as keyof typeof LINK_WORDS];
  const about = [how, node.memoryType && codeText(node.memoryType), node.state !== 'here' && node.state]
    .filter((word) => word)
    .join(' · ');
  const box = html`<g class="${state}" transform="translate(${at.x} ${at.y})"><rect width="${BOX.width}" height="${BOX.height}" rx="7"></rect><text class="title" x="11" y="18">${labelOf(node)}</text><text x="11" y="34">${about}</text></g>`;
  return node.state === 'here' ? html`<a href="${memoryPage(visit, user, node.id)}">${box}</a>` : box;
}

/** The first words, without signs that would turn the drawing round. */
function labelOf({ content, id }: LineageNode): string {
  const plain = (content ?? shortId(id))
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...plain];
  return letters.length > LABEL_CHARS ? `${letters.slice(0, LABEL_CHARS - 1).join('')}…` : plain;
}

function listOf(visit: Visit, user: string, title: string, branches: readonly LineageBranch[]): Html {
  const content =
    branches.length === 0
      ? html`<p class="quiet">${title === 'Made of' ? 'Nothing: somebody said it.' : 'Nothing so far.'}</p>`
      : treeOf(visit, user, branches);
  return html`<div><h3>${title}</h3>${content}</div>`;
}

function treeOf(visit: Visit, user: string, branches: readonly LineageBranch[]): Html {
  return html`<ul class="tree">${branches.map(
    (branch) =>
      html`<li>${nodeText(visit, user, branch)}${branch.next.length > 0 && treeOf(visit, user, branch.next)}</li>`,
  )}</ul>`;
}

function nodeText(visit: Visit, user: string, node: LineageBranch): Value {
  const about = html`<span class="small quiet">${LINK_WORDS[node.how]}${node.memoryType && `, ${codeText(node.memoryType)}`}${node.state !== 'here' && `, ${node.state}`}</span>`;
  const words =
    node.content === null ? html`<span class="quiet">no longer known</span>` : wordsOf(node.content, true);
  return node.state === 'here'
    ? html`${words}<a class="small" href="${memoryPage(visit, user, node.id)}">memory ${shortId(node.id)}</a> ${about}`
    : html`${words}${about}`;
}
