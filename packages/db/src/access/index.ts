export { authenticateToken, isTokenLive, type TokenOwner } from './authenticate.ts';
export {
  dropExpiredRepeats,
  forgetAnswers,
  type KeptAnswer,
  keepAnswer,
  REPEAT_CUT_OFF_MS,
  REPEAT_KEPT_MS,
  type RepeatKey,
  type Reservation,
  type ReserveResult,
  releaseRepeat,
  reserveRepeat,
} from './repeats.ts';
export {
  type ApiToken,
  createToken,
  listTokens,
  type NewToken,
  revokeToken,
  TOKEN_ROLES,
  TOKENS_MAX,
  type TokenRole,
} from './tokens.ts';
