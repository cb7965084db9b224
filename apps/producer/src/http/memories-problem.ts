import { Problem } from './problem.ts';

export function unknownMemory(): Problem {
  return new Problem(
    404,
    'unknown_memory',
    'there is no such memory, under this id or name, of this user or tenant',
  );
}
