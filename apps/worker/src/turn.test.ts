import { describe, expect, it } from 'vitest';
import { createTurn } from './turn.ts';

const FOREVER = 60_000;
const never = () => new AbortController().signal;

describe('a turn', () => {
  it('goes from one to the next at once, in the order in which they came', async () => {
    const turn = createTurn();
    const order: string[] = [];
    const atWork = new Set<string>();
    const work = async (name: string) => {
      expect(await turn.take(never(), FOREVER)).toBe(true);
      atWork.add(name);
      expect([...atWork]).toEqual([name]);
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      atWork.delete(name);
      turn.giveBack();
    };
    await Promise.all(['ana', 'ben', 'cleo', 'dan'].map(work));
    expect(order).toEqual(['ana', 'ben', 'cleo', 'dan']);
    expect(await turn.take(never(), 0)).toBe(true);
  });

  it('is waited for no longer than asked, and afterwards not kept for whoever went', async () => {
    const turn = createTurn();
    await turn.take(never(), 0);
    expect(await turn.take(never(), 1)).toBe(false);
    turn.giveBack();
    expect(await turn.take(never(), 0)).toBe(true);
  });

  it('is not waited for by somebody who is told to stop', async () => {
    const turn = createTurn();
    await turn.take(never(), 0);
    const stop = new AbortController();
    const waiting = turn.take(stop.signal, FOREVER);
    stop.abort();
    expect(await waiting).toBe(false);
    expect(await turn.take(AbortSignal.abort(), FOREVER)).toBe(false);
    turn.giveBack();
    expect(await turn.take(stop.signal, 0)).toBe(true);
  });
});
