import { storeTrust } from '@slowwave/db';
import { updateTrust } from '@slowwave/fusion';
import type { Step } from '../context.ts';
import { PROFILE, TRUST_SIGNALS } from '../questions.ts';

/** How far the user trusts what an agent does on its own, from the feedback since the last time. */
export const trust: Step = {
  name: 'trust',
  asks: [PROFILE, TRUST_SIGNALS],
  async run({ look, write, tenant, user, at }) {
    const before = (await look.seen(PROFILE))?.trust ?? null;
    const signals = await look.seen(TRUST_SIGNALS);
    // With too few sessions the feedback stays where it is and counts later.
    const update = updateTrust(before, signals);
    if (update.status !== 'updated') return { status: 'skipped', reason: update.status };
    await write((tx) => storeTrust(tx, { tenant, user, trust: update.trust, through: at, at }));
    const { feedback, sessions } = signals;
    return {
      status: 'done',
      counts: { feedback, sessions, before, trust: update.trust, stance: update.stance },
    };
  },
};
