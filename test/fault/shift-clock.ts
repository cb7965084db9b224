/**
 * Moves what this process takes for the time: Date.now, `new Date()` and `Date()`. Timers and performance.now go on as they are, like on
 * a machine whose clock is wrong. To be called before anything that may have kept Date.now is loaded.
 */
export function shiftClock(shiftMs: number): void {
  if (shiftMs === 0) return;
  const Right = Date;
  const now = () => Right.now() + shiftMs;
  globalThis.Date = new Proxy(Right, {
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
    apply: () => new Right(now()).toString(),
  });
}
