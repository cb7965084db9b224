/**
 * Owns servers in a process of their own, forked by start.mjs. Stops them when it is asked to, and also when the process that
 * started it is gone for any reason, SIGKILL included: the channel between the two closes then.
 * @param {(job: {say: Function, signal: AbortSignal, onStop: Function}) => Promise<object>} provide
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

  try {
    const servers = await provide({
      say: (line) => tell({ say: line }),
      signal: ending.signal,
      onStop: (stop) => stops.push(stop),
    });
    tell({ servers });
    if (!ending.signal.aborted) {
      await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }));
    }
  } catch (error) {
    if (!ending.signal.aborted) tell({ failed: error.message });
    process.exitCode = 1;
  } finally {
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
