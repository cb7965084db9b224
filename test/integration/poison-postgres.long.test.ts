import { openOnPostgres } from '../fixtures/backends.ts';
import { describePoison } from './poison.ts';

describePoison('PostgreSQL', openOnPostgres);
