import { createHash } from 'node:crypto';

export interface AnswerIdentity {
  tenant: string;
  user: string;
  step: string;
  promptVersion: string;
  /** The model asked. */
  model: string;
  /** What was asked about, such as ids with versions; their order counts. */
  parts: readonly string[];
}

/** Key of a paid answer: the same question, for the same user, step, prompt and model. SHA-256, hex. */
export function answerKeyOf(identity: AnswerIdentity): string {
  const { tenant, user, step, promptVersion, model, parts } = identity;
  // JSON keeps the parts apart, so that no two questions run into each other.
  const question = JSON.stringify(['answer', 1, tenant, user, step, promptVersion, model, ...parts]);
  return createHash('sha256').update(question, 'utf8').digest('hex');
}
