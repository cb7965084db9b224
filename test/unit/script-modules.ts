/** The scripts are plain JavaScript without types: here are the types of what the tests call. */
const load = async (path: string): Promise<unknown> =>
  import(new URL(`../../scripts/${path}`, import.meta.url).href);

type Say = (line: string) => void;
type Locked = Record<string, Record<string, unknown>>;

export interface InstallScript {
  checkNode: (version: string) => void;
  isCurrent: (wanted: Locked, installed: Locked) => boolean;
}
export interface TestScopeScript {
  scopeOf: (argv: string[]) => { unitOnly: boolean; rest: boolean; args: string[] };
}
export interface BuildScript {
  workspacesInOrder: (root?: string) => string[];
}
export interface VitestScript {
  countTests: (
    report: {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
      numTodoTests: number;
      testResults: { status: string; assertionResults: { status: string }[] }[];
    },
    exitCode: number,
  ) => { passed: number; failed: number; skipped: number };
}
export interface ForegroundScript {
  runForeground: (command: string, args: string[], options?: object) => Promise<number>;
  runQuiet: (command: string, args: string[], options?: object) => Promise<{ code: number; output: string }>;
}
export interface ProcessScript {
  run: (
    command: string,
    args: string[],
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ) => Promise<{ code: number; stdout: string; stderr: string }>;
  startDaemon: (
    command: string,
    args: string[],
  ) => {
    pid: number;
    isRunning: () => boolean;
    output: () => string;
    stop: (signals: string[], eachMs?: number) => Promise<void>;
  };
  freePort: () => Promise<number>;
}
export interface ProbeScript {
  probeRedis: (url: string) => Promise<string>;
}
export interface ProvideScript {
  provideServers: (job: {
    say: Say;
    signal: AbortSignal;
    onStop: (stop: () => unknown) => void;
  }) => Promise<unknown>;
}
export interface StartScript {
  startServers: (options: { say: Say; postgres?: Record<string, string> }) => Promise<{
    env: { TEST_DATABASE_URL: string; TEST_REDIS_URL: string };
    stop: () => Promise<void>;
  }>;
  startKeeper: (
    file: string,
    options: { say: Say; args?: string[] },
  ) => Promise<{
    servers: object;
    ask: (name: string, given?: unknown) => Promise<unknown>;
    stop: () => Promise<void>;
  }>;
}
export interface TreeScript {
  childrenOf: (pid: number) => Promise<number[]>;
  killTree: (pid: number) => Promise<void>;
}
export interface PackBundleScript {
  finished: (text: string, path: string, known: ReadonlySet<string>) => string;
}
export interface PackPackagesScript {
  packagesOf: (inputs: readonly string[]) => string[];
}
export interface VectorScript {
  nextSuiteSources: (text: string, suite: string) => string;
  nextSuiteLine: (text: string, codename: string, suite: string) => string | null;
}

export const installScript = (await load('install.mjs')) as InstallScript;
export const testScopeScript = (await load('test-scope.mjs')) as TestScopeScript;
export const buildScript = (await load('build.mjs')) as BuildScript;
export const vitestScript = (await load('vitest.mjs')) as VitestScript;
export const foregroundScript = (await load('foreground.mjs')) as ForegroundScript;
export const packBundleScript = (await load('pack/bundle.mjs')) as PackBundleScript;
export const packPackagesScript = (await load('pack/packages.mjs')) as PackPackagesScript;
export const processScript = (await load('servers/process.mjs')) as ProcessScript;
export const probeScript = (await load('servers/probe.mjs')) as ProbeScript;
export const provideScript = (await load('servers/provide.mjs')) as ProvideScript;
export const startScript = (await load('servers/start.mjs')) as StartScript;
export const treeScript = (await load('servers/tree.mjs')) as TreeScript;
export const vectorScript = (await load('servers/pgvector.mjs')) as VectorScript;
