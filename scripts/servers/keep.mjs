/**
 * Owns servers in a process of their own, forked by start.mjs. Stops them when it is asked to, and also when the process that
 * started it is gone for any reason, SIGKILL included: the channel between the two closes then. Does what it is asked for meanwhile, one
 * thing after the other.
 * @param {(job: {say: Function, signal: AbortSignal, onStop: Function, onAsk: Function}) => Promise<object>} provide
 *   `onAsk` takes what can be asked for: functions of one argument, by name
 */
export async function keep(provide) {
  const stops = [];
  const ending = new AbortController();
  process.on('disconnect', () => ending.abort());
  // A signal to the keeper itself must not end it before its servers.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => ending.abort());

  const tell = (message) => {
    if (process.connected) process.send(message);
  };

  const known = {};
  let busy = Promise.resolve();
  const answer = async ({ ask, name, given }) => {
    try {
      tell({ answer: ask, value: (await known[name](given)) ?? null });
    } catch (error) {
      tell({ answer: ask, error: error.message });
    }
  };
  process.on('message', (question) => {
    if (!ending.signal.aborted) busy = busy.then(() => answer(question));
  });

  try {
    const servers = await provide({
      say: (line) => tell({ say: line }),
      signal: ending.signal,
      onStop: (stop) => stops.push(stop),
      onAsk: (functions) => Object.assign(known, functions),
    });
    tell({ servers });
    if (!ending.signal.aborted) {
      await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }));
    }
  } catch (error) {
    if (!ending.signal.aborted) tell({ failed: error.message });
    process.exitCode = 1;
  } finally {
    await busy;
    // The last started first: a folder goes after the server in it.
    for (const stop of stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        tell({ say: `could not clean up: ${error.message}` });
      }
    }
    if (process.connected) process.disconnect();
  }
}
