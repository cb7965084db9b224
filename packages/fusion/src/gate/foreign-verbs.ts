import { foreignStem } from './foreign-stems.ts';
import { formOf } from './lexicon/foreign-forms.ts';

/** What a German or Dutch verb may begin with, longest first: the rest is a verb of its own with the same forms. */
const PREFIXES: Readonly<Record<string, RegExp>> = {
  de: /^(zusammen|zurück|weiter|wieder|vorbei|hinaus|heraus|herein|herunter|entgegen|teil|statt|fest|fern|durch|nach|über|unter|wider|hinter|aus|auf|vor|ein|mit|bei|her|hin|los|weg|an|ab|um|zu|ver|ent|emp|miss|zer|be|er|ge)(?=.{3})/,
  nl: /^(samen|terug|achter|tegen|voort|onder|over|door|voor|mee|weer|vast|mis|na|uit|aan|toe|bij|op|in|om|af|ver|ont|her|be|er|ge)(?=.{3})/,
};
/** Prefixes that part from their verb: they stand alone at the end of a clause. */
export const SEPARABLE: Readonly<Record<string, ReadonlySet<string>>> = {
  de: new Set(
    'zusammen zurück weiter wieder vorbei hinaus heraus herein herunter entgegen teil statt fest fern durch nach über unter aus auf vor ein mit bei her hin los weg an ab um zu'.split(
      ' ',
    ),
  ),
  nl: new Set(
    'samen terug achter tegen voort onder over door voor mee weer vast na uit aan toe bij op in om af'.split(
      ' ',
    ),
  ),
};

/**
 * Further keys of a verb with a prefix: "übernehme" has the forms of "nehme", "aufgeführt" those of "geführt", "abzuholen" those of "holen".
 * A key that ends in a bar is a past.
 */
export function prefixedKeys(word: string, code: string): string[] {
  const found = PREFIXES[code]?.exec(word);
  if (!found) return attributive(word, code);
  const prefix = found[1]!;
  const rest = word.slice(prefix.length);
  const keys = attributive(rest, code).map((key) => `${prefix}${key}`);
  const plain = rest.replace(code === 'de' ? /^zu(?=.{4})/ : /^te(?=.{4})/, '');
  const form = formOf(rest, code) ?? formOf(plain, code);
  if (form !== null) keys.push(`${prefix}${form}`);
  else if (plain !== rest) keys.push(`${prefix}${foreignStem(plain, code)}`);
  keys.push(...attributive(word, code));
  return keys;
}

/** "gekauften", "geführt": a participle with its endings is the past of its verb. */
function attributive(word: string, code: string): string[] {
  if (code === 'de') {
    const found = /^ge(.{3,}?)e?t(?:e[nmrs]?)?$/.exec(word);
    const strong = /^(ge.{3,}?en)e[nmrs]?$/.exec(word);
    const form = strong ? formOf(strong[1]!, code) : null;
    return [...(found ? [`${found[1]!}|`] : []), ...(form === null ? [] : [form])];
  }
  if (code === 'nl') {
    const found = /^ge(.{3,}?)[td]e?$/.exec(word) ?? /^(.{2,}?[^aeiou])(?:de|te|den|ten)$/.exec(word);
    return found ? [`${foreignStem(found[1]!, code)}|`] : [];
  }
  return [];
}

/** Pronouns that are written together with an infinitive or a gerund. */
const ENCLITIC: Readonly<Record<string, RegExp>> = {
  es: /^(.{1,}?(?:[aeiáéí]r|[áé]ndo|iéndo|yéndo))(?:(?:me|te|se|nos)(?:l[oae]s?)?|l[oae]s?)$/,
  it: /^(.{2,}?(?:[aei]r|[ae]ndo))(?:mi|ti|si|ci|vi|l[oaie]|ne|gli)$/,
  pt: /^(.{2,}?)-(?:me|te|se|nos|l?[oa]s?|lhes?)$/,
};
const ACCENTS: Readonly<Record<string, string>> = { á: 'a', é: 'e', í: 'i' };

/** A verb of a Romance language without what is written together with it. */
export function withoutEnclitic(word: string, code: string): string {
  const found = ENCLITIC[code]?.exec(word);
  if (!found) return word;
  const verb = found[1]!.replace(/[áéí](?=r$|ndo$)/, (letter) => ACCENTS[letter]!);
  if (code === 'it' && /r$/.test(verb)) return `${verb}e`;
  return code === 'pt' && /[áéê]$/.test(verb) ? `${verb.slice(0, -1)}${/á$/.test(verb) ? 'a' : 'e'}r` : verb;
}

/** Infinitives and gerunds by language: what stands before is the stem of the present. What asks for one ("wants to") is said apart. */
const NONFINITE: Readonly<Record<string, RegExp>> = {
  es: /^(.{2,}?)(?:[aei]r|ando|iendo)$/,
  it: /^(.{2,}?)(?:[aei]re|ando|endo)$/,
  pt: /^(.{2,}?)(?:[aei]r|[aei]ndo)$/,
  fr: /^(.{3,}?)(?:er|ant)$/,
};

/** The stem of the present that an infinitive or a gerund has; for irregular ones that of their table. */
export function nonfiniteKeys(word: string, code: string): string[] {
  const found = NONFINITE[code]?.exec(word);
  if (!found) return [];
  const stem = found[1]!;
  for (const ending of ['ar', 'er', 'ir', 'are', 'ere', 'ire', 're']) {
    const form = formOf(`${stem}${ending}`, code);
    if (form !== null) return [form];
  }
  return [foreignStem(`${stem}e`, code)];
}
