import { describePoison } from './poison.ts';

describePoison('Redis and PostgreSQL');
