import { openOnRedis } from '../fixtures/backends.ts';
import { describePoison } from './poison.ts';

describePoison('Redis and PostgreSQL', () => openOnRedis());
