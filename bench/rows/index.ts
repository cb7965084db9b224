import type { Row } from '../row.ts';
import { row as p1 } from './p1.ts';
import { row as p2 } from './p2.ts';
import { row as p3 } from './p3.ts';
import { row as p4 } from './p4.ts';
import { row as p5 } from './p5.ts';
import { row as p6 } from './p6.ts';
import { row as p7 } from './p7.ts';
import { row as p8 } from './p8.ts';
import { row as p9 } from './p9.ts';
import { row as p10 } from './p10.ts';
import { row as p11 } from './p11.ts';
import { row as p12 } from './p12.ts';
import { row as p13 } from './p13.ts';
import { row as p14 } from './p14.ts';
import { row as p15 } from './p15.ts';
import { row as p16 } from './p16.ts';

/** In the order of the table of goals. */
export const ROWS: readonly Row[] = [p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16];
