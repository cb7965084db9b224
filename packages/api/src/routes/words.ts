import { z } from 'zod';

/** One of a closed list of words. */
export const words = <const Words extends readonly [string, ...string[]]>(list: Words) =>
  z.enum(list, { error: `expected one of ${list.join(', ')}` });
