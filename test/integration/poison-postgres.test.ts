import { describePoison } from './poison.ts';

describePoison('PostgreSQL');
