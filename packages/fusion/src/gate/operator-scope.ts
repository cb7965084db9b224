import type { Link } from './links.ts';
import type { Unit } from './unit.ts';

export interface Scope {
  operator: Unit;
  name: string;
  /** What it acts on, nearest first. */
  targets: Unit[];
  /** A pronoun stands among them: they may be anything named before. */
  open: boolean;
  /** What the pronoun stands for, where that is sure. */
  pointed: Unit[];
  /** What it ties together, when it tells a reason or what came first. */
  link: Link | null;
}
