import { BACKENDS } from '../fixtures/backends.ts';
import { describeBoard } from './board.ts';

for (const [name, open] of BACKENDS.slice(1)) describeBoard(name, open);
