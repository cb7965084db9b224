/** How long after its time an item that does not come back stays open. */
export const ITEM_GRACE_MS = 86_400_000;

/** The instant from which an item due at `dueAt` is more than the grace past its time; both epoch ms. */
export const expiryOf = (dueAt: number): number => dueAt + ITEM_GRACE_MS + 1;
