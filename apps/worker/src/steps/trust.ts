import { getUserProfile, readTrustSignals, storeTrust } from '@slowwave/db';
import { updateTrust } from '@slowwave/fusion';
import type { Step } from '../context.ts';

/** How far the user trusts what an agent does on its own, from the feedback since the last time. */
export const trust: Step = {
  name: 'trust',
  async run({ database, write, tenant, user, at }) {
    const { before, signals } = await database.withTenant(tenant, async (tx) => {
      const profile = await getUserProfile(tx, { tenant, user });
      const since = profile?.trustThrough ?? null;
      return {
        before: profile?.trust ?? null,
        signals: await readTrustSignals(tx, { tenant, user, since, at }),
      };
    });
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
