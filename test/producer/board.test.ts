import { SERVER_BACKENDS } from '../fixtures/backends.ts';
import { describeBoard } from './board.ts';

for (const [name, open] of SERVER_BACKENDS) describeBoard(name, open);
