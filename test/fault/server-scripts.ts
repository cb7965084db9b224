/** A process that owns servers, and does with them what it is asked for. It is gone with this process at the latest. */
export interface Keeper<Started> {
  servers: Started;
  /** @throws what the process says when it cannot do it */
  ask(name: string, given?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** The scripts are plain JavaScript without types: here are the types of what this suite calls. */
const load = async (name: string): Promise<unknown> => import(scriptUrl(name).href);
const scriptUrl = (name: string): URL => new URL(`../../scripts/servers/${name}`, import.meta.url);

const processScript = (await load('process.mjs')) as { steadyPort(): Promise<number> };
const startScript = (await load('start.mjs')) as {
  startKeeper(file: URL, options: { say: (line: string) => void; args: string[] }): Promise<Keeper<never>>;
};

/** A port on loopback for what goes away and comes back. */
export const { steadyPort } = processScript;

/** Runs a program of scripts/servers that keeps servers, with its options as JSON. */
export function startKeeper<Started>(name: string, options: object): Promise<Keeper<Started>> {
  const say = (line: string) => process.stderr.write(`servers: ${line}\n`);
  return startScript.startKeeper(scriptUrl(name), { say, args: [JSON.stringify(options)] });
}
