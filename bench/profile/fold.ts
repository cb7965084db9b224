/** What a CPU profile of V8 holds, as far as it is read here. */
export interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  /** The node of each sample, and the time since the one before, µs. */
  samples?: number[];
  timeDeltas?: number[];
}

/** CPU time by whose code it was spent in, itself and not what it called; ms. Most first. */
export interface FoldedProfile {
  /** Everything that was sampled, waiting included. */
  sampledMs: number;
  /** Without waiting. */
  cpuMs: number;
  byOwner: { owner: string; ms: number }[];
  functions: { name: string; owner: string; ms: number }[];
}

/** Waiting; and the profiler at work on what it has sampled, when it is told to stop. */
const NOT_WORK = ['(idle)', 'dispatch'];
/** Samples outside of any code: V8 says what they were. */
const PLACES: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code',
  '(root)': 'native code',
};

/** Whose code a frame is: a package of ours, an installed one, or Node itself. */
export function ownerOf({ functionName, url }: { functionName: string; url: string }): string {
  if (Object.hasOwn(PLACES, functionName)) return PLACES[functionName]!;
  if (url.startsWith('wasm:')) return 'vector kernel (WebAssembly)';
  if (url.startsWith('node:')) return 'node';
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url);
  if (installed && !installed[1]!.startsWith('@slowwave/')) return installed[1]!;
  const ours = /\/((?:packages|apps)\/[^/]+)\//.exec(url);
  if (ours) return ours[1]!;
  if (/\/(?:bench|test)\//.test(url)) return 'bench';
  return url === '' ? 'native code' : 'other';
}

/**
 * Sums a profile up.
 * @param standIn tells frames that stand in for something outside of the process: with all that they call they count as `stand-in`
 * @param top how many functions are named
 */
export function foldProfile(
  profile: CpuProfile,
  { standIn, top }: { standIn: (url: string) => boolean; top: number },
): FoldedProfile {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const inStandIn = new Set<number>();
  const mark = (id: number, within: boolean): void => {
    const node = nodes.get(id)!;
    const inside = within || standIn(node.callFrame.url);
    if (inside) inStandIn.add(id);
    for (const child of node.children ?? []) mark(child, inside);
  };
  const children = new Set(profile.nodes.flatMap((node) => node.children ?? []));
  for (const { id } of profile.nodes) if (!children.has(id)) mark(id, false);

  const owners = new Map<string, number>();
  const functions = new Map<string, { name: string; owner: string; ms: number }>();
  let [sampledMs, idleMs] = [0, 0];
  for (const [i, id] of (profile.samples ?? []).entries()) {
    const ms = Math.max(0, profile.timeDeltas?.[i] ?? 0) / 1_000;
    sampledMs += ms;
    const { callFrame } = nodes.get(id)!;
    if (callFrame.url === '' && NOT_WORK.includes(callFrame.functionName)) {
      idleMs += ms;
      continue;
    }
    const owner = inStandIn.has(id) ? 'stand-in' : ownerOf(callFrame);
    owners.set(owner, (owners.get(owner) ?? 0) + ms);
    const file = callFrame.url.split('/').slice(-2).join('/');
    const name = `${callFrame.functionName || '(anonymous)'}${file === '' ? '' : ` (${file})`}`;
    const known = functions.get(`${owner} ${name}`);
    if (known) known.ms += ms;
    else functions.set(`${owner} ${name}`, { name, owner, ms });
  }
  const most = <T extends { ms: number }>(all: T[]): T[] => all.sort((a, b) => b.ms - a.ms);
  return {
    sampledMs,
    cpuMs: sampledMs - idleMs,
    byOwner: most([...owners].map(([owner, ms]) => ({ owner, ms }))),
    functions: most([...functions.values()].filter(({ owner }) => owner !== 'stand-in')).slice(0, top),
  };
}
