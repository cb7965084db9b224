import type { ForeignSlot } from './foreign-slot.ts';
import { byLanguage, wordList } from './lexicon/word-list.ts';

/** "dans le service de cardiologie" is "en cardiologie": a part of a house that says no more than what it is for. */
const DEPARTMENTS = byLanguage({
  fr: 'service département rayon',
  it: 'reparto',
  es: 'servicio departamento',
  pt: 'serviço departamento setor',
});
const WITHIN = wordList('dans en au nel en no na em');
const OF = wordList('de d du di del della do da');
/** "da problemas", "macht Probleme": a verb that only says that there are some. */
const GIVING = byLanguage({
  es: 'da dan',
  pt: 'dá dão',
  it: 'dà danno',
  fr: 'pose posent',
  de: 'macht machen bereitet bereiten',
  nl: 'geeft geven',
  sv: 'ger',
});
const TROUBLE = wordList(
  'problema problemas problemi problème problèmes problem probleme problemen problemer',
);
/** Behind a remedy "against" is what it is for. */
const AGAINST = byLanguage({
  de: 'gegen',
  fr: 'contre',
  es: 'contra',
  it: 'contro',
  pt: 'contra',
  nl: 'tegen',
  sv: 'mot',
  ru: 'от против',
  pl: 'przeciw przeciwko',
});
const REMEDY = wordList(`
  medikament medikamente medikamenten mittel tablette tabletten salbe spray tropfen impfung médicament médicaments comprimé comprimés traitement sirop
  vaccin medicamento medicamentos medicina medicinas pastilla pastillas jarabe tratamiento vacuna farmaco farmaci compresse pastiglie sciroppo vaccino
  remédio remédios comprimidos xarope vacina medicijn medicijnen pillen pil medicin medicinen mediciner tabletter tablett vaccinet
  lek leki tabletki tabletka лекарство таблетки таблетка препарат
`);
/** "no quiere que se usen tablas" wants no tables. */
const USING = byLanguage({ es: 'use usen utilice utilicen', pt: 'use usem utilize utilizem' });
const WISHING = wordList('quiero quiere quieren prefiero prefiere quero quer querem prefiro prefere');
/** Beside a limit "can" says no more than the limit. */
const CAN = byLanguage({
  pt: 'posso consigo',
  es: 'puedo',
  it: 'posso',
  fr: 'peux',
});
const LIMIT = wordList('máximo massimo maximum límite limite');

/** Whether a word says nothing that what stands beside it does not say: it may be left out. `adds` if it may be added as well. */
export function softness(
  slots: readonly ForeignSlot[],
  index: number,
  beside: ReadonlySet<string>,
  code: string,
): 'none' | 'lost' | 'adds' {
  const { text } = slots[index]!;
  const next = slots[index + 1];
  const before = [slots[index - 1]?.text ?? '', slots[index - 2]?.text ?? ''];
  if (DEPARTMENTS.get(code)?.has(text))
    return next && OF.has(next.text) && before.some((word) => WITHIN.has(word)) ? 'lost' : 'none';
  if (GIVING.get(code)?.has(text)) return any(beside, TROUBLE) ? 'adds' : 'none';
  if (AGAINST.get(code)?.has(text)) return REMEDY.has(before[0]!) ? 'lost' : 'none';
  if (USING.get(code)?.has(text)) return before.includes('que') && any(beside, WISHING) ? 'lost' : 'none';
  return isAble(text, code) && any(beside, LIMIT) ? 'lost' : 'none';
}

/** Present forms of "can": what is denied beside them is the verb that they help. */
const CAN_PLAIN = byLanguage({ de: 'kann kannst können', nl: 'kan kunt kunnen' });

export function isPlainCan(text: string, code: string): boolean {
  return CAN_PLAIN.get(code)?.has(text) ?? false;
}

/** "I can": the first person says what one is able to, the third also what may be. */
export function isAble(text: string, code: string): boolean {
  return CAN.get(code)?.has(text) ?? false;
}

function any(words: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const word of wanted) if (words.has(word)) return true;
  return false;
}
