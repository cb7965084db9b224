/** Spelled ordinals by language, from the first. Words that mean something else as well (a room, a second, "according to") are left out. */
const SPELLED: Readonly<Record<string, string>> = {
  de: 'erst(?:en|er|es|em|e)|zweit(?:en|er|es|em|e)|dritt(?:en|er|es|em|e)|viert(?:en|er|es|em|e)|fünft(?:en|er|es|em|e)|sechst(?:en|er|es|em|e)|siebt(?:en|er|es|em|e)|(?!)|neunt(?:en|er|es|em|e)|zehnt(?:en|er|es|em|e)',
  fr: 'premi(?:ère|er)s?|deuxièmes?|troisièmes?|quatrièmes?|cinquièmes?|sixièmes?|septièmes?|huitièmes?|neuvièmes?|dixièmes?',
  es: 'primer(?:a|o)?|segund(?:o|a)|tercer(?:a|o)?|cuarta|quint(?:a|o)|sext(?:a|o)|séptim(?:a|o)|octav(?:a|o)|noven(?:a|o)|décim(?:a|o)',
  it: 'primo|seconda|terz(?:o|a)|quarta|quint(?:o|a)|sest(?:o|a)|settim(?:o)|ottav(?:o|a)|non(?:o)|decim(?:o|a)',
  pt: 'primeir(?:o|a)|(?!)|terceir(?:o|a)|(?!)|(?!)|(?!)|sétim(?:o|a)|oitav(?:o|a)|non(?:o)|décim(?:o|a)',
  nl: 'eerste|tweede|derde|vierde|vijfde|zesde|zevende|achtste|negende|tiende',
};
/** Words behind which digits with a full stop are an ordinal, and no end of a sentence. */
const GERMAN_BEFORE =
  '(?<=(?<!\\p{L})(?:der|die|das|den|dem|des|im|am|zum|zur|vom|beim|ins|in|seine|seiner|ihre|ihrer|meine|meiner|mein|jede|jeden|jeder) )';

const COMPILED = new Map<string, readonly RegExp[]>();

function compiledOf(code: string): readonly RegExp[] {
  const known = COMPILED.get(code);
  if (known) return known;
  const list = (SPELLED[code] ?? '')
    .split(/\|(?![^(]*\))/)
    .filter((words) => words !== '')
    .map((words) => new RegExp(`(?<![\\p{L}-])(?:${words})(?![\\p{L}-])`, 'giu'));
  COMPILED.set(code, list);
  return list;
}

/** "die zweite", "im 2. Stock", "la 2ª", "1re": one spelling of each place in a row. Months keep their days. */
export function ordinalsIn(text: string, code: string): string {
  if (SPELLED[code] === undefined) return text;
  let plain = text;
  for (const [index, pattern] of compiledOf(code).entries())
    plain = plain.replace(pattern, endingOf(index + 1));
  if (code === 'de') {
    const months = 'Jan|Jän|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez';
    return plain.replace(
      new RegExp(`${GERMAN_BEFORE}([1-9]\\d?)\\. (?!(?:${months}))(?=\\p{L})`, 'gu'),
      (_all, digits: string) => `${endingOf(Number(digits))} `,
    );
  }
  return plain.replace(
    /(?<![\p{L}\d.,])([1-9]\d?)(?:\.?[ºª]|re|ère|er|ème|e|ste|de)(?![\p{L}\d])/gu,
    (all, digits: string) =>
      all.endsWith('er') || all.endsWith('e') || all.endsWith('re') || /[ºª]$/.test(all)
        ? endingOf(Number(digits))
        : all,
  );
}

function endingOf(value: number): string {
  const ending =
    value % 10 === 1 && value !== 11
      ? 'st'
      : value % 10 === 2 && value !== 12
        ? 'nd'
        : value % 10 === 3 && value !== 13
          ? 'rd'
          : 'th';
  return `${value}${ending}`;
}
