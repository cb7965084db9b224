/** Servers of one's own, to be hurt. */
export { type OwnPostgres, type PostgresCrash, type Session, startOwnPostgres } from './own-postgres.ts';
export { type OwnRedis, startOwnRedis } from './own-redis.ts';
