export {
  type AnswerStep,
  type FoundAnswer,
  findAnswer,
  type NewAnswer,
  settleAnswer,
  storeAnswer,
} from './answers.ts';
export { type AnswerIdentity, answerKeyOf } from './key.ts';
