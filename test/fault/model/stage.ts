import type { Names } from './compare.ts';
import { named } from './compare.ts';
import type { JobSteps } from './jobs.ts';
import { type Entry, readLine } from './line.ts';
import { isAsPlanned } from './memory.ts';
import type { Service } from './service.ts';
import { type FusionModel, fusionsOf, type Model, type UserModel, usersOf } from './state.ts';

/** The real service, and what names the model has for what is in it. */
export interface Stage {
  service: Service;
  names: Names;
  /** Jobs of the model that are stopped in the middle, by the number of their delivery. */
  stopped: Map<number, { steps: JobSteps; entry: Entry; start: number }>;
  /** Opens the database anew. */
  reopen(): Promise<void>;
}

export const waiting = (model: Model) =>
  readLine(model.line, (ticket) => ticket).filter(({ entry }) => entry.state === 'waiting');
export const failed = (model: Model) =>
  readLine(model.line, (ticket) => ticket).filter(({ entry }) => entry.state === 'failed');
/** Fusions that failed for good and stand in nobody's list. */
export const lost = (model: Model): { user: UserModel; fusion: FusionModel }[] =>
  usersOf(model).flatMap((user) =>
    fusionsOf(user).flatMap((fusion) => {
      const known = model.line
        .entries()
        .some(({ ticket }) => ticket.user === user.name && ticket.fusion === fusion.id);
      const whole = fusion.members.every((member) => isAsPlanned(user, member));
      return fusion.status === 'failed' && whole && !known ? [{ user, fusion }] : [];
    }),
  );
/** The same entry of the two lines. */
export function twin(stage: Stage, label: string): Entry {
  const found = readLine(stage.service.line, (ticket) => named(ticket, stage.names)).find(
    (one) => one.label === label,
  );
  if (!found) throw new Error(`nothing in the queue is ${label}`);
  return found.entry;
}
