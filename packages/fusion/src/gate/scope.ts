import type { Difference } from './coverage.ts';
import { CONTRASTED } from './foreign-conditions.ts';
import { DENYING, FLOAT_OPERATORS } from './lexicon/classes.ts';
import { isImpliedReason, isSameLink, isToldTogether, isTurnedLink, linkOf } from './links.ts';
import type { Scope } from './operator-scope.ts';
import { isRephrased } from './rephrased.ts';
import { isStripped, strippedDenials } from './stripped-denials.ts';
import { around, following, isOpen, pointedAt, sharesTarget } from './targets.ts';
import type { Statement, Unit } from './unit.ts';

/** Classes whose first word behind them is what counts: "over spaces". */
const HEADED = new Set(['op:than']);
/** Classes that are judged by being there alone. */
const UNBOUND = new Set(['op:or', 'op:about', 'op:need']);

/** Words for "perhaps" and the like stand before the verb or after it in other languages. */
const FLOATING_ELSEWHERE = new Set(['op:might', 'op:probably', 'op:usedto']);

function isFloating(name: string, { language }: Statement): boolean {
  return FLOAT_OPERATORS.has(name.slice(3)) || (language !== 'en' && FLOATING_ELSEWHERE.has(name));
}

export function scopesOf(statement: Statement): Scope[] {
  const scopes: Scope[] = [];
  for (const [index, operator] of statement.units.entries()) {
    if (operator.kind !== 'operator') continue;
    const name = operator.keys[0]!;
    if (UNBOUND.has(name)) continue;
    const targets = isFloating(name, statement)
      ? around(statement.units, index)
      : following(statement, index);
    // "the reason is" points at what the clauses around it say.
    const open = isOpen(statement, operator) || operator.form.startsWith('reason');
    if (targets.length > 0 || open)
      scopes.push({
        operator,
        name,
        targets,
        open,
        pointed: open ? pointedAt(statement, operator) : [],
        link: linkOf(statement, operator),
      });
  }
  return scopes;
}

/** Wishes and duties that go on in a clause without a verb: "wants an aisle seat on planes, but on trains a window seat". */
const CARRIED = new Set(['op:want', 'op:should', 'op:need', 'op:will', 'op:plan', 'op:hope']);

/** Conditions: what stands before them in their clause is outside. */
const BOUNDING = new Set(['op:unless', 'op:if', 'op:until', 'op:before', 'op:after']);

/** What is said without its word again: wishes that go on, and "those below" after "above 500". */
function ellipses(statement: Statement, scopes: readonly Scope[]): Scope[] {
  if (statement.language !== 'en') return [];
  const { units, openings, verbalClauses, sentenceOf } = statement;
  const found: Scope[] = [];
  for (const scope of scopes) {
    if (!CARRIED.has(scope.name)) continue;
    const { clause, sentence } = scope.operator;
    for (let next = clause + 1; sentenceOf.get(next) === sentence; next += 1) {
      if (verbalClauses.has(next)) break;
      const all = units.filter((unit) => unit.clause === next);
      if (!['but', 'and', 'while'].includes(openings.get(next) ?? '')) continue;
      // "..., and short answers unless asked": the wish goes on up to the condition.
      const ends = all.findIndex(({ kind }) => kind === 'operator');
      if (ends === 0 || (ends > 0 && !BOUNDING.has(all[ends]!.keys[0]!))) continue;
      const here = ends === -1 ? all : all.slice(0, ends);
      // "..., facing forward": more of the same thing.
      const more = /ing$/.test(openings.get(next + 1) ?? '') && sentenceOf.get(next + 1) === sentence;
      found.push({
        ...scope,
        targets: more ? [...here, ...units.filter((unit) => unit.clause === next + 1)] : here,
      });
    }
  }
  for (const [index, unit] of units.entries()) {
    const name = unit.keys.find((key) => key === 'op:lessthan' || key === 'op:morethan');
    if (unit.kind !== 'word' || name === undefined || units[index + 1]?.clause === unit.clause) continue;
    const bounded = units.findLastIndex(
      ({ kind, sentence }, at) => at < index && kind === 'number' && sentence === unit.sentence,
    );
    if (bounded !== -1)
      found.push({
        operator: unit,
        name,
        targets: units.slice(bounded, index),
        open: false,
        pointed: [],
        link: null,
      });
  }
  return found;
}

/**
 * Words that change a statement ("not", "might", "only", "until") must stand on the same thing in the summary as in the source. A word that
 * stands in front acts on what follows it in its clause, an adverb on what is near it.
 */
export function misplacedOperators(summary: Statement, sources: readonly Statement[]): Difference[] {
  const problems: Difference[] = [];
  const own = sources.map((source) => ({ source, scopes: scopesOf(source) }));
  const said = scopesOf(summary);
  const meant = [...said, ...ellipses(summary, said)];
  const stripped = strippedDenials(summary, said);
  const all = own.flatMap(({ scopes }) => scopes);
  problems.push(...turnedReasons(said, all, sources));
  for (const { source, scopes } of own) {
    for (const scope of scopes) {
      if (scope.operator.soft) continue;
      const distinct = distinctTargets(scope, all, sources);
      const wanted = distinct.length > 0 ? distinct : scope.targets;
      const present = wanted.filter((unit) => unit.keys.some((key) => summary.keys.has(key)));
      if (present.length === 0) continue;
      const wantedHere = HEADED.has(scope.name) ? present.slice(0, 1) : present;
      const kept =
        meant.some(
          (other) =>
            other.name === scope.name &&
            (linked(scope, other) ?? (other.open || sharesTarget(other.targets, wantedHere))),
        ) || stripped.some((other) => isStripped(other, scope, source));
      if (!kept && !isRephrased(scope.operator, source, summary)) problems.push(problemOf(scope));
      else if (DENYING.has(scope.name.slice(3)) && leaks(distinct, scope, summary, said))
        problems.push(problemOf(scope));
    }
  }
  for (const scope of said) {
    const head = scope.targets[0];
    if (!head || scope.operator.soft) continue;
    const known = all.filter(({ name }) => name === scope.name);
    if (known.length === 0) continue; // an invention, and reported as one
    const floats = isFloating(scope.name, summary);
    const wanted = floats
      ? besides(scope)
      : HEADED.has(scope.name)
        ? [head]
        : scope.targets.slice(0, scope.operator.form.endsWith('ly') ? 2 : 1);
    const fits =
      scope.open ||
      stripped.some(
        (one) =>
          one.scope === scope &&
          own.some(({ source, scopes }) => scopes.some((other) => isStripped(one, other, source))),
      ) ||
      known.some(
        (other) =>
          linked(other, scope) ??
          sharesTarget(HEADED.has(scope.name) ? other.targets.slice(0, 2) : other.targets, wanted),
      ) ||
      known.some(({ pointed }) => sharesTarget(pointed, wanted)) ||
      (scope.name === 'op:because' && scope.link !== null && isImpliedReason(scope.link, sources));
    if (!fits) problems.push(problemOf(scope));
  }
  return problems;
}

/** Whether two words tie the same things the same way: "so" and "because" stand before different sides. Null where their targets tell. */
function linked(one: Scope, other: Scope): boolean | null {
  if (!one.link || !other.link) return null;
  if (isTurnedLink(one.link, other.link)) return false;
  return one.link.back === other.link.back ? null : isSameLink(one.link, other.link);
}

/** "so" says less than "because": it may be left out, but not be turned, nor tie what no source tells of together. */
function turnedReasons(
  said: readonly Scope[],
  all: readonly Scope[],
  sources: readonly Statement[],
): Difference[] {
  return said
    .filter(({ operator, link, name }) => {
      if (!link || !operator.soft) return false;
      const links = all.flatMap((scope) => (scope.link && scope.name === name ? [scope.link] : []));
      if (links.some((other) => isSameLink(other, link))) return false;
      if (links.some((other) => isTurnedLink(other, link))) return true;
      return name === 'op:because' && !isToldTogether(link, sources);
    })
    .map(problemOf);
}

/** The two units next to an adverb, and one on either side of it. */
function besides({ operator, targets }: Scope): Unit[] {
  if (operator.keys[0] === 'op:only') return targets.slice(0, 2);
  const before = targets.find(({ axis }) => axis < operator.axis);
  const after = targets.find(({ axis }) => axis > operator.axis);
  return [...targets.slice(0, 2), ...[before, after].filter((unit) => unit !== undefined)];
}

/** What only this operator (and others of its class) acts on: "eat" is none where another source eats something else. */
function distinctTargets(scope: Scope, all: readonly Scope[], sources: readonly Statement[]): Unit[] {
  const within = new Set<Unit>();
  for (const { name, targets } of all) if (name === scope.name) for (const unit of targets) within.add(unit);
  return scope.targets.filter(
    (unit) =>
      !sources.some((source) =>
        source.units.some(
          (other) =>
            !within.has(other) &&
            other.kind !== 'operator' &&
            other.keys.some((key) => unit.keys.includes(key)),
        ),
      ),
  );
}

/** A denied predicate that the summary also states without its denial. */
function leaks(distinct: readonly Unit[], scope: Scope, summary: Statement, said: readonly Scope[]): boolean {
  // "does not want the assistant to rewrite": the assistant is not denied.
  const told = scope.targets.filter(({ form }) => form !== 'assistant');
  // "sells none over the internet, only at the market": the verb is not denied.
  const head = scope.operator.form === CONTRASTED ? told.at(-1) : told[0];
  if (!head || !distinct.includes(head)) return false;
  const denied = new Set<Unit>();
  for (const { name, targets } of said) if (name === scope.name) for (const unit of targets) denied.add(unit);
  return summary.units.some(
    (unit) =>
      unit.kind !== 'operator' && !denied.has(unit) && unit.keys.some((key) => head.keys.includes(key)),
  );
}

function problemOf(scope: Scope): Difference {
  const name = scope.name.slice(3);
  return {
    kind: DENYING.has(name) ? 'negation' : 'pairing',
    value: `${name} ${scope.targets[0]?.form ?? ''}`,
  };
}
