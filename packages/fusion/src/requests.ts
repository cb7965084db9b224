import type { Group } from './groups.ts';

/** Open requests of a kind that are looked at for room, before a new one is opened. */
const LOOKED_AT = 64;

/** Groups that are asked about in one request. */
export interface Packed {
  groups: Group[];
  size: number;
}

export interface PackRules {
  maxSize: number;
  maxRequests: number;
  /** Groups of one kind may share a request. */
  kindOf: (group: Group) => string;
  /** Whether two groups hold a pair that must stay apart. */
  areApart: (one: Group, other: Group) => boolean;
  /** A group that is asked about alone, also where it would open no request: it was in one that failed. */
  isAlone: (group: Group) => boolean;
}

/**
 * Packs groups into requests, closest first, each into the first request of its kind that has room for it. The request that may save most
 * comes first, since a night may end before the last one.
 * @returns the requests, and how many groups found no room in as many as are allowed
 */
export function packGroups(groups: readonly Group[], rules: PackRules): { requests: Packed[]; left: number } {
  const sorted = [...groups].sort(
    (one, other) => other.closeness - one.closeness || one.nodes[0]! - other.nodes[0]!,
  );
  const requests: Packed[] = [];
  const open = new Map<string, Packed[]>();
  let left = 0;
  for (const group of sorted) {
    const isAlone = rules.isAlone(group);
    const kind = rules.kindOf(group);
    const withRoom = isAlone ? [] : (open.get(kind) ?? []);
    const request = withRoom.slice(0, LOOKED_AT).find((one) => hasRoom(one, group, rules));
    if (request) {
      request.groups.push(group);
      request.size += group.nodes.length;
      if (request.size > rules.maxSize - 2) withRoom.splice(withRoom.indexOf(request), 1);
    } else if (!group.opens && !isAlone) continue;
    else if (requests.length < rules.maxRequests) {
      const opened = { groups: [group], size: group.nodes.length };
      requests.push(opened);
      if (isAlone || opened.size > rules.maxSize - 2) continue;
      withRoom.push(opened);
      open.set(kind, withRoom);
    } else left += 1;
  }
  return { requests: byWorth(requests), left };
}

function hasRoom({ size, groups }: Packed, group: Group, { maxSize, areApart }: PackRules): boolean {
  if (size + group.nodes.length > maxSize) return false;
  if (groups.some((other) => areApart(group, other))) return false; // guard: pack-apart
  return true;
}

/** Each note but one of a group may be saved, the surer the closer they are. */
function byWorth(requests: Packed[]): Packed[] {
  const worthOf = ({ groups }: Packed): number =>
    groups.reduce((sum, { nodes, closeness }) => sum + closeness * (nodes.length - 1), 0);
  return requests.sort(
    (one, other) => worthOf(other) - worthOf(one) || one.groups[0]!.nodes[0]! - other.groups[0]!.nodes[0]!,
  );
}
