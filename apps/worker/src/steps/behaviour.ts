import {
  countForgets,
  DatabaseError,
  getUserProfile,
  nothingForgotten,
  readActivity,
  storeBehaviour,
} from '@slowwave/db';
import { updateBehaviour } from '@slowwave/fusion';
import type { Step } from '../context.ts';
import { ACTIVITY, SESSION_IDLE_MS } from '../questions.ts';

/** How the user behaves, from what was said since the last time: length, hours, topics, questions, style. Numbers and topics only. */
export const behaviour: Step = {
  name: 'behaviour',
  asks: [ACTIVITY],
  async run({ look, database, write, tenant, user, at, timezone }) {
    if (!(await look.seen(ACTIVITY))) return { status: 'skipped', reason: 'nothing_new' };
    const reading = database.withTenant(tenant, async (tx) => {
      const forgets = await countForgets(tx, { tenant, user });
      const found = await getUserProfile(tx, { tenant, user });
      const since = found?.behaviourThrough ?? null;
      // A session is over after this time, and its topics are known from then on.
      const settledAt = at - SESSION_IDLE_MS;
      return {
        forgets,
        profile: found,
        days: await readActivity(tx, { tenant, user, timezone, since, at: settledAt }),
      };
    });
    const read = await reading.catch((error: unknown) => {
      // The schedules know zones that the database's own list may lack.
      if (error instanceof DatabaseError && error.code === 'invalid_text') return null;
      throw error;
    });
    if (read === null) return { status: 'skipped', reason: 'zone_unknown_to_database' };
    const { profile, days, forgets } = read;
    const before = profile?.behaviour ?? null;
    const after = updateBehaviour(before, days);
    if (days.length === 0 || after === null) return { status: 'skipped', reason: 'nothing_new' };
    const through = Math.max(...days.map((day) => day.at));
    const stored = await write(async (tx) => {
      // Topics are words of what was said.
      if (!(await nothingForgotten(tx, { tenant, user, forgets }))) return false;
      await storeBehaviour(tx, { tenant, user, behaviour: after, through, at });
      return true;
    });
    if (!stored) return { status: 'skipped', reason: 'forgotten_meanwhile' };
    const messages = days.reduce((sum, day) => sum + day.messages, 0);
    return {
      status: 'done',
      counts: {
        days: days.length,
        messages,
        messagesBefore: before?.messages ?? 0,
        topics: after.topics.length,
      },
    };
  },
};
