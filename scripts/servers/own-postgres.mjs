/** A PostgreSQL that a test may crash, stop and start as it likes. Its only argument: {diskBytes?, settings?}, as JSON. */
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { smallDisk } from './disk.mjs';
import { keep } from './keep.mjs';
import { makeCluster, postgresUser, privateFolder, runPostgres } from './local.mjs';
import { probePostgres } from './probe.mjs';
import { steadyPort, untilItWorks } from './process.mjs';
import { postgresPrograms } from './programs.mjs';
import { childrenOf, killTree, sendSignal, untilGone } from './tree.mjs';

const given = JSON.parse(process.argv[2] ?? '{}');

const READY_MS = 30_000;
const SETTINGS = {
  // A process that is killed in the middle of writing a page leaves half of it.
  full_page_writes: 'on',
  // What the server prints may be shown: no statements, no values of rows.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};
/** Little log ahead, so that a small disk is filled by rows. */
const SMALL_SETTINGS = { max_wal_size: '8MB', min_wal_size: '2MB' };
const SMALL_CLUSTER = ['--wal-segsize=1'];

async function placeOf(folder, onStop) {
  if (given.diskBytes === undefined) return { folder, disk: null };
  const owner = await postgresUser();
  const disk = await smallDisk(folder, given.diskBytes, owner, onStop);
  const inside = join(disk.folder, 'postgres');
  mkdirSync(inside, { mode: 0o700 });
  if (owner.uid !== undefined) {
    // The server's user passes through here.
    chmodSync(folder, 0o711);
    chownSync(disk.folder, owner.uid, owner.gid);
    chownSync(inside, owner.uid, owner.gid);
  }
  return { folder: inside, disk };
}

await keep(async (job) => {
  const { onStop, onAsk, signal } = job;
  const bin = await postgresPrograms(job);
  const parent = privateFolder('postgres');
  onStop(() => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }));
  const { folder, disk } = await placeOf(parent, onStop);
  const cluster = await makeCluster(bin, folder, { signal, options: disk ? SMALL_CLUSTER : [] });
  const port = await steadyPort();
  const settings = { ...SETTINGS, ...(disk ? SMALL_SETTINGS : {}), ...given.settings };
  let server;
  let url;
  let stop = async () => {};
  onStop(() => stop());

  async function start(more) {
    Object.assign(settings, more);
    const onStart = (newStop, newServer) => {
      stop = newStop;
      server = newServer;
    };
    if (!server?.isRunning()) return runPostgres(cluster, port, { signal, onStart, settings });
    throw new Error('It runs already.');
  }

  async function crash(how) {
    if (!server.isRunning()) throw new Error('It does not run.');
    if (how === 'kill') await killTree(server.pid);
    if (how === 'kill' || how === 'immediate') return server.stop(['SIGQUIT', 'SIGKILL']);
    // The checkpointer or a like process: the server ends all the others then, recovers and goes on by itself.
    const children = await childrenOf(server.pid);
    sendSignal(children[0], 'SIGKILL');
    return untilGone(children);
  }

  onAsk({
    start,
    crash,
    stop: () => stop(),
    isRunning: () => server.isRunning(),
    ready: () =>
      untilItWorks(() => probePostgres(url), { limitMs: READY_MS, isHopeless: () => !server.isRunning() }),
    fill: (leaveBytes) => disk.fill(leaveBytes),
    free: () => disk.free(),
  });
  const started = await start({});
  url = started.url;
  return { ...started, port, folder: parent, hasDisk: disk !== null };
});
