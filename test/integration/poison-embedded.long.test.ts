import { openEmbedded } from '../fixtures/backends.ts';
import { describePoison } from './poison.ts';

describePoison('embedded', openEmbedded);
