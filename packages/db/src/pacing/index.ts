export { exchangeRate, type RateExchange } from './exchange.ts';
export {
  LEAST_PER_MINUTE,
  PERMIT_WAIT_MS,
  RATE_FORGOTTEN_MS,
  RATE_LOOK_MS,
  type RateAnswer,
  type RateKey,
  type RateReport,
  type RateWish,
  REFUSED_PAUSE_MAX_MS,
  REFUSED_PAUSE_MS,
  RETRY_TOKEN_MS,
  RETRY_TOKENS,
  RETRY_TOKENS_KEPT,
} from './types.ts';
