import type { Difference } from './coverage.ts';
import { lemmaOf } from './lemma.ts';
import { UNCHANGING, VERB_FORMS } from './lexicon/irregular.ts';
import type { Statement } from './unit.ts';

const SELF = '(?:my|your|him|her|it|our|them|one)sel(?:f|ves)';
const OWNED = '(?:my|your|his|her|its|our|their)';

/** Phrases that say something though each of their words is glue. A summary may not add one. */
const TELLING: readonly [string, RegExp][] = [
  ['for now', / (?:for (?:now|the time being|the moment|a while)|so far|until now|to date) /],
  ['alone', new RegExp(` (?:by ${SELF}|on ${OWNED} own) `)],
  ['and others', / (?:(?:and|or) (?:so on|others?|more|the like)|among others|et cetera|etc) /],
  ['or so', / or so /],
  ['is said to', / (?:(?:is|are|was|were|be|been) said to|said to be|supposedly|allegedly|reportedly) /],
  ['went well', / (?:go(?:es|ing)?|went|gone) well /],
  ['once', / (?:(?:was|were|had|has|have|is|are) once|once (?:had|was|were|lived|worked)) /],
  ['or not', / or not /],
  ['in turn', / (?:in turn|vice versa|each other|one another) /],
];
/** Words of the past that are glue otherwise. */
const PAST = / (?:was|were|did|had|used(?! to)|went|took|(?<!(?:has|have|ve|s) )got|attended|received|made) /;

/** Of the past, though it is glue; "user said that" only opens a note, and "it is said" is present. */
const TOLD = 'told';

/** Phrases of the summary, made of words that are not compared, that no source has. */
export function addedPhrases(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const said = (pattern: RegExp): boolean => sources.some(({ spoken }) => pattern.test(spoken));
  const problems: Difference[] = [];
  for (const [value, pattern] of TELLING)
    if (pattern.test(summary.spoken) && !said(pattern)) problems.push({ kind: 'word', value });
  // Where no source tells of the past, the summary has none to tell of.
  if (PAST.test(summary.spoken) && !sources.some(tellsOfPast)) problems.push({ kind: 'word', value: 'was' });
  for (const value of doneWishes(summary, sources)) problems.push({ kind: 'word', value });
  for (const value of softenedDuties(summary, sources)) problems.push({ kind: 'word', value });
  return problems;
}

/** "the repair would cost 199": it has not been made. */
const WOULD = / (?:would|d|could|might) (?:only |also |still |probably )?([a-z]+) /g;
const OPEN = / (?:would|d|could|might|may(?! \d)|if|estimated?|quoted?|expected|planned|will|should|can|ll) /;

/** What only would happen in the sources and has happened in the summary: "would cost 199 euros" told as "cost 199 euros". */
function doneWishes(summary: Statement, sources: readonly Statement[]): string[] {
  if (OPEN.test(summary.spoken)) return [];
  const verbs = new Set(
    sources.flatMap(({ spoken }) => [...spoken.matchAll(WOULD)].map(([, verb]) => verb!)),
  );
  return [...verbs].filter((verb) => {
    if (sources.some(({ spoken }) => new RegExp(` (?<!(?:would|d|could|might) )${verb} `).test(spoken)))
      return false;
    if (UNCHANGING.has(verb)) return new RegExp(` [a-z]+[^s ] ${verb} `).test(summary.spoken);
    return summary.spoken.split(' ').some((word) => word !== verb && isPastOf(word, verb));
  });
}

function isPastOf(word: string, verb: string): boolean {
  return (VERB_FORMS.has(word) || /ed$/.test(word)) && lemmaOf(word) === lemmaOf(verb);
}

const DUTY = /^(?:must|has to|have to|had to|needs to|need to)$/;

/** What must be done in the sources and only can or may be in the summary: "must be filed by July" told as "can be filed by July". */
function softenedDuties(summary: Statement, sources: readonly Statement[]): string[] {
  return sources.flatMap(({ units }) =>
    units.flatMap((operator, at) => {
      const verb = units[at + 1];
      if (operator.keys[0] !== 'op:need' || !DUTY.test(operator.form) || verb?.clause !== operator.clause)
        return [];
      if (verb.kind !== 'word' || operator.soft) return [];
      const softened = [' can ', ' may ', ' could ', ' might '].some((word) =>
        ['', 'be ', 'also ', 'only '].some((more) => summary.spoken.includes(`${word}${more}${verb.form} `)),
      );
      const kept = summary.units.some(
        (unit, index) => unit.keys[0] === 'op:need' && summary.units[index + 1]?.keys[0] === verb.keys[0],
      );
      return softened && !kept ? [`must ${verb.form}`] : [];
    }),
  );
}

function tellsOfPast({ spoken, units, pastClauses }: Statement): boolean {
  return (
    pastClauses.size > 0 ||
    PAST.test(spoken) ||
    / (?:been|didn|wasn|weren|hadn|[a-z]+ed|ago|since|last|until|once|former|ex) /.test(spoken) ||
    spoken.split(' ').some((word) => word === TOLD || VERB_FORMS.get(word)?.tense === 'past') ||
    units.some(
      ({ tense, kind, form }) =>
        tense === 'past' || (kind === 'word' && (VERB_FORMS.has(form) || UNCHANGING.has(form))),
    )
  );
}
