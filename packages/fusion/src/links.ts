import { closenessOf } from './closeness.ts';
import type { Link } from './components.ts';
import { TWIN_THRESHOLD } from './gate/twins.ts';
import type { Candidate, Edge } from './memory.ts';
import type { PlanCounts, PlanOptions } from './plan-config.ts';

const MAX_RELATIONS_PER_MEMBER = 3;

/** The memories that may be fused, by id; the rest is counted by reason. */
export function selectNodes(candidates: Candidate[], options: PlanOptions, counts: PlanCounts): Candidate[] {
  const nodes = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { memoryType, prominence, isPartner } = candidate;
    if (memoryType !== 'regular' && memoryType !== 'dynamic_profile') counts.notEligible += 1;
    else if (!isPartner && !(prominence >= options.minProminence && prominence < options.maxProminence))
      counts.outsideWindow += 1;
    else if (options.at - candidate.createdAt < options.minAgeMs) counts.tooYoung += 1;
    else if (candidate.content.length > options.maxContentChars) counts.tooLong += 1;
    else {
      const same = nodes.get(candidate.id);
      if (same) counts.notEligible += 1;
      if (!same || candidate.version > same.version) nodes.set(candidate.id, candidate);
    }
  }
  return [...nodes.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The links that may join, by closeness, strongest first. A relation is closer than shared words or a cosine alone can be. */
export function selectLinks(
  nodes: Candidate[],
  edges: Edge[],
  options: PlanOptions,
): { close: Link[]; relations: { edge: Edge; link: Link }[] } {
  const indexes = indexNodes(nodes);
  const close: Link[] = [];
  const relations: { edge: Edge; link: Link }[] = [];
  for (const edge of edges) {
    if (edge.kind === 'neighbour') continue;
    const link = linkOf(edge, indexes);
    if (!link || !mayMeet(nodes[link.a]!, nodes[link.b]!, options)) continue;
    if (edge.kind === 'relation') relations.push({ edge, link: { ...link, weight: 1 + link.weight } });
    else close.push({ ...link, weight: closenessOf(edge.words ?? 0, edge.weight, options.edgeThreshold) });
  }
  close.sort(byStrength);
  relations.sort((one, other) => byStrength(one.link, other.link) || byRelation(one.edge, other.edge));
  return { close, relations };
}

/** Neighbours at or above the twin threshold, one link per pair, strongest first. */
export function selectTwinLinks(nodes: Candidate[], edges: Edge[]): Link[] {
  const indexes = indexNodes(nodes);
  const pairs = new Map<number, Link>();
  for (const edge of edges) {
    if (edge.kind !== 'neighbour' || !(edge.weight >= TWIN_THRESHOLD)) continue;
    const link = linkOf(edge, indexes);
    if (!link) continue;
    const pair = link.a * nodes.length + link.b;
    const known = pairs.get(pair);
    if (!known || known.weight < link.weight) pairs.set(pair, link);
  }
  return [...pairs.values()].sort(byStrength);
}

/** The strongest relations of a cluster, at most three per member. @param relations strongest first. */
export function pickRelations(relations: Edge[]): Edge[] {
  const taken = new Map<string, number>();
  const picked: Edge[] = [];
  for (const edge of relations) {
    const [ofA, ofB] = [taken.get(edge.a) ?? 0, taken.get(edge.b) ?? 0];
    if (ofA >= MAX_RELATIONS_PER_MEMBER || ofB >= MAX_RELATIONS_PER_MEMBER) continue;
    taken.set(edge.a, ofA + 1);
    taken.set(edge.b, ofB + 1);
    picked.push(edge);
  }
  return picked;
}

function indexNodes(nodes: Candidate[]): Map<string, number> {
  return new Map(nodes.map(({ id }, index) => [id, index]));
}

function linkOf(edge: Edge, indexes: Map<string, number>): Link | null {
  const [one, other] = [indexes.get(edge.a), indexes.get(edge.b)];
  if (one === undefined || other === undefined || one === other || Number.isNaN(edge.weight)) return null;
  return { a: Math.min(one, other), b: Math.max(one, other), weight: edge.weight };
}

/** One cluster holds one origin class and, unless categories may mix, one category. */
function mayMeet(one: Candidate, other: Candidate, options: PlanOptions): boolean {
  return one.origin === other.origin && (options.crossCategory || one.category === other.category);
}

function byStrength(one: Link, other: Link): number {
  return other.weight - one.weight || one.a - other.a || one.b - other.b;
}

function byRelation(one: Edge, other: Edge): number {
  const [first, second] = [`${one.relationType} ${one.a}`, `${other.relationType} ${other.a}`];
  return first < second ? -1 : first > second ? 1 : 0;
}
