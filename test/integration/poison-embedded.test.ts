import { describePoison } from './poison.ts';

describePoison('embedded');
