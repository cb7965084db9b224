import type { Difference } from './coverage.ts';
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
  return problems;
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
