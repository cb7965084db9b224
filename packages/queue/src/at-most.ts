/** Waits until it is done, but not longer than so many milliseconds; null: as long as it takes. */
export async function atMost(ms: number | null, done: Promise<unknown>): Promise<void> {
  if (ms === null) {
    await done;
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, limit]).finally(() => clearTimeout(timer));
}
