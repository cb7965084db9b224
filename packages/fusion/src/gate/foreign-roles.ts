import type { Difference } from './coverage.ts';
import { FOREIGN_KIN } from './lexicon/foreign-kin.ts';
import { wordList } from './lexicon/word-list.ts';
import type { Statement, Unit } from './unit.ts';

/** What marks who did something in a passive, and the helping verbs that make one. */
const AGENTS: Readonly<Record<string, { by: ReadonlySet<string>; passive: ReadonlySet<string> }>> = {
  de: { by: wordList('von vom durch'), passive: wordList('wird werden wurde wurden worden') },
  nl: { by: wordList('door'), passive: wordList('is zijn werd werden wordt worden') },
  fr: { by: wordList('par'), passive: wordList('est sont été sera seront était étaient') },
  es: { by: wordList('por'), passive: wordList('fue fueron sido es son será serán') },
  it: {
    by: wordList('da dal dalla dallo dai dalle dall dagli'),
    passive: wordList('è sono stato stata stati state viene vengono'),
  },
  pt: { by: wordList('por pelo pela pelos pelas'), passive: wordList('foi foram é são sido será serão') },
  sv: { by: wordList('av'), passive: wordList('blev blir blivit är') },
};
/** Before somebody to whom something is given, said or done. */
const GIVEN: Readonly<Record<string, ReadonlySet<string>>> = {
  de: wordList(
    'meinen seinen ihren unseren den einen meiner meinem seiner seinem ihrer ihrem unserer unserem dem einem einer',
  ),
  fr: wordList('à au aux'),
  es: wordList('a al'),
  it: wordList('a al alla allo ai alle'),
  pt: wordList('ao à aos às para'),
  nl: wordList('aan'),
};
/** Words that a preposition may have between itself and its noun. */
const BETWEEN = wordList(
  'le la les un une sa son ses ma mon mes leur el los las una su sus mi mis tu il lo i gli uno suo sua mio mia o os as um uma seu minha meu een de het mijn zijn haar hun ein eine einem einer dem der den seinem seiner ihrem ihrer meinem meiner en ett sin sitt min',
);

/** In a Romance passive the participle stands right before its agent. */
const ROMANCE_PARTICIPLE: Readonly<Record<string, RegExp>> = {
  fr: /(?:é|i|u|t|s)e?s?$/,
  es: /(?:[aií]d|t|ch|s)[oa]s?$/,
  it: /(?:t|s)[oaie]$/,
  pt: /(?:[aií]d|t|s)[oa]s?$/,
};

/** Kin in a case that says the same without a preposition. */
const DATIVES: Readonly<Record<string, ReadonlySet<string>>> = {
  ru: wordList(
    'брату сестре сыну мужу жене отцу маме матери другу подруге коллеге начальнику соседу соседке тренеру',
  ),
  pl: wordList(
    'bratu siostrze synowi córce mężowi żonie ojcu matce mamie koledze koleżance szefowi sąsiadowi trenerowi',
  ),
};
const BEFORE_CASES = wordList(
  'к ко по о об в во на при за у от до из с без для ku o w na przy po dzięki przeciw',
);

interface MarkedSlot {
  text: string;
  atom: string | null;
  written: string;
  border: boolean;
  place: { clause: number };
}

/** Reads the marks of the word at an index into sets of keys. */
export function readMarks(
  slots: readonly MarkedSlot[],
  index: number,
  unit: Unit,
  statement: Statement,
  beside: ReadonlySet<string>,
  code: string,
): void {
  const before = markOf(slots, index);
  const agent = AGENTS[code];
  const marks = statement.marks;
  if (agent?.by.has(before.text) && before.clause === slots[index]!.place.clause) {
    const verb = slots[before.at - 1]?.text ?? '';
    const romance = ROMANCE_PARTICIPLE[code];
    const passive = romance
      ? romance.test(verb) && isHelped(slots, before.at - 1, agent.passive)
      : [...agent.passive].some((word) => beside.has(word));
    if (passive) for (const key of unit.keys) (marks.agents as Set<string>).add(key);
  }
  if (
    DATIVES[code]?.has(slots[index]!.text) &&
    !BEFORE_CASES.has(before.text) &&
    !BEFORE_CASES.has(slots[index - 1]?.text ?? '')
  )
    for (const key of unit.keys) (marks.receivers as Set<string>).add(key);
  if (!FOREIGN_KIN.has(slots[index]!.text) || !GIVEN[code]?.has(before.text)) return;
  // "das Knie meiner Mutter": behind a noun it is a genitive; behind a preposition nobody is given anything.
  const earlier = slots[before.at - 1];
  const genitive =
    code === 'de' &&
    earlier !== undefined &&
    (/^\p{Lu}/u.test(earlier.written) || GERMAN_DATIVE.has(earlier.text));
  if (!genitive) for (const key of unit.keys) (marks.receivers as Set<string>).add(key);
}

/** How far before its participle the helping verb of a Romance passive may stand: "est aussi souvent vu". */
const HELPER_REACH = 4;

/** "La visita dal cardiologo è il 18 marzo": behind it stands no passive. */
function isHelped(slots: readonly MarkedSlot[], at: number, helping: ReadonlySet<string>): boolean {
  const clause = slots[at]?.place.clause;
  return slots
    .slice(Math.max(0, at - HELPER_REACH), at)
    .some(({ text, place }) => place.clause === clause && helping.has(text));
}

const GERMAN_DATIVE = wordList(
  'mit von bei zu nach aus seit in an auf über unter vor hinter neben zwischen wegen trotz während gegenüber außer für ohne gegen um',
);

function markOf(slots: readonly MarkedSlot[], index: number): { text: string; at: number; clause: number } {
  let at = index - 1;
  const first = slots[at]?.text ?? '';
  while (at > index - 3 && slots[at] && BETWEEN.has(slots[at]!.text) && !GIVEN.de!.has(slots[at]!.text))
    at -= 1;
  const slot = slots[at];
  return { text: slot?.atom === null ? slot.text : first, at, clause: slot?.place.clause ?? -1 };
}

/**
 * Somebody who did something and to whom it is done now, or the other way round: "the bus was hit by a van" as "the bus hit a van", "my boss
 * granted me" as "granted my boss". A passive may become active: then who did it stands in front.
 */
export function exchangedAgents(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language === 'en') return [];
  const problems: Difference[] = [];
  for (const unit of summary.units) {
    if (unit.kind !== 'word' && unit.kind !== 'name') continue;
    for (const source of sources) {
      const own = source.units.find((one) => one.keys.some((key) => unit.keys.includes(key)));
      if (!own) continue;
      const [here, there] = [isAgent(unit, summary), isAgent(own, source)];
      if (here === there) continue;
      const turned = here
        ? hasAgentBeside(own, source) || !isFirst(own, source, unit, summary)
        : hasAgentBeside(unit, summary) || !isFirst(unit, summary, own, source);
      if (turned) problems.push({ kind: 'pairing', value: unit.form });
    }
    if (
      isReceiver(unit, summary) &&
      sources.some(({ keys }) => unit.keys.some((key) => keys.has(key))) &&
      !sources.some((source) => isReceiver(unit, source))
    )
      problems.push({ kind: 'pairing', value: unit.form });
  }
  return problems;
}

function isAgent({ keys }: Unit, { marks }: Statement): boolean {
  return keys.some((key) => marks.agents.has(key));
}

/** Whether somebody else did it in the same clause: "the bus was hit by a van" has a bus that did nothing. */
function hasAgentBeside(unit: Unit, statement: Statement): boolean {
  return statement.units.some(
    (other) =>
      other.clause === unit.clause &&
      isAgent(other, statement) &&
      !other.keys.some((key) => unit.keys.includes(key)),
  );
}

function isReceiver({ keys }: Unit, { marks }: Statement): boolean {
  return keys.some((key) => marks.receivers.has(key));
}

/** Whether a word of an active clause stands before everything of it that the passive one has too. */
function isFirst(active: Unit, text: Statement, passive: Unit, other: Statement): boolean {
  const shared = other.units.filter(
    (unit) => unit !== passive && unit.clause === passive.clause && unit.kind === 'word' && !unit.soft,
  );
  return !text.units.some(
    (unit) =>
      unit.clause === active.clause &&
      unit.axis < active.axis &&
      shared.some((one) => one.keys.some((key) => unit.keys.includes(key))),
  );
}
