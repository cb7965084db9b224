import { fusionsOf, type Model, note, statementsOf, type UserModel } from './state.ts';

/** Whether a proposal has waited for too long. */
export const areOver = (user: UserModel, at: number): boolean =>
  fusionsOf(user).some(({ status, reviewEnds }) => status === 'review' && reviewEnds! <= at);

/** Proposals that nobody decided about in time. Their request is open again with its answer, as long as nothing came of it. */
export function expireReviews(model: Model, user: UserModel, at: number): void {
  const over = fusionsOf(user).filter(({ status, reviewEnds }) => status === 'review' && reviewEnds! <= at);
  for (const statement of over) {
    Object.assign(statement, { status: 'expired', reviewEnds: null });
    statement.live.clear();
    note(model, 'review expired');
  }
  for (const { request } of over) {
    const asked = user.fusions.get(request!)!;
    const stands = statementsOf(user, asked.id).some(
      ({ status }) => status === 'applied' || status === 'review',
    );
    if (asked.status !== 'closed') continue;
    if (stands) note(model, 'expired beside what stands');
    else asked.status = 'expired';
  }
}
