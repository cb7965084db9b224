import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

const SMALL =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf';

/** 70 to 79 and 90 to 99 are counted on from 60 and 80. */
function scoreNumbers(): [string, number][] {
  const small = SMALL.split(' ').map((word) => word.replaceAll('_', ' '));
  const found: [string, number][] = [['quatre vingt', 80]];
  for (let one = 1; one < 20; one += 1) {
    if (one >= 10) found.push([`soixante ${small[one]!}`, 60 + one]);
    found.push([`quatre vingt ${small[one]!}`, 80 + one]);
  }
  found.push(['soixante et onze', 71]);
  return found;
}

export const FRENCH: Language = {
  code: 'fr',
  stopWords: words(`
    le la les un une des du de d et ou est sont a ont était étaient avait avaient être avoir il elle ils elles je j tu nous vous on se s sa son
    ses au aux dans en par pour sur avec que qui ce cet cette ces mon ma mes ton ta tes leur leurs lui y mais donc car très aussi
    l'utilisateur l'utilisatrice utilisateur utilisatrice c'est qu'il qu'elle l'a
  `),
  numbers: new Map([
    ...spelledNumbers(
      SMALL,
      'vingt trente quarante cinquante soixante septante quatre_vingts nonante',
      (ten, one, values) => (values.ten === 80 ? [] : [values.one === 1 ? `${ten} et un` : `${ten} ${one}`]),
    ),
    ...scoreNumbers(),
  ]),
  ambiguousNumbers: words('six sept dix neuf onze cent mille'),
  scales: new Map(Object.entries({ cent: 100, cents: 100, mille: 1e3, million: 1e6, millions: 1e6 })),
  months: numbered(
    'janvier janv|février févr fév|mars|avril avr|mai|juin|juillet juil|août|septembre|octobre|novembre|décembre déc',
  ),
  weekdays: numbered('lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche'),
  negators: words('ne pas jamais aucun aucune rien sans ni non guère'),
  units: named(
    'day jour jours|week semaine semaines|month mois|year an ans année années|hour heure heures|min minute minutes',
  ),
  seasons: named('spring printemps|summer été|autumn automne|winter hiver'),
  relative: `
    avant hier = day -2
    avant hier soir = day -2 evening
    hier = day -1
    hier matin = day -1 morning
    hier soir = day -1 evening
    aujourd'hui = day 0
    ce matin = day 0 morning
    ce soir = day 0 evening
    cet après midi = day 0 afternoon
    cette nuit = vague
    demain = day 1
    demain matin = day 1 morning
    demain soir = day 1 evening
    après demain = day 2
    la|le|l' {unit} dernière|dernier|passée|passé = span -1
    la|le|l' {unit} prochaine|prochain = span 1
    l'année dernière|passée = year -1
    l'an dernier|passé = year -1
    l'année prochaine = year 1
    l'an prochain = year 1
    cette|ce {unit} = span 0
    il y a {n} {unit} = ago
    il y a {n} {unit} que = vague
    depuis {n} {unit} = none
    il y a un|une {unit} = ago 1
    il y a quelques {unit} = vague
    il y a longtemps = vague
    dans {n} {unit} = future
    dans un|une {unit} = future 1
    {weekday} dernier = weekday last
    {weekday} prochain = weekday next
    ce {weekday} = weekday this
    {weekday} = weekday bare
    le {weekday} = none
    tous les {weekday} = none
    du {weekday} au {weekday} = none
    en {month} dernier = month last
    {month} dernier = month last
    {month} prochain = month next
    l'été dernier|prochain = vague
    l'hiver dernier|prochain = vague
    l'automne dernier|prochain = vague
    le printemps dernier|prochain = vague
  `,
  wording: {
    day: 'le D',
    week: 'dans la semaine du D',
    weekend: 'le week-end du D',
    month: 'en M Y',
    year: 'en Y',
    quarter: 'au D Y',
    season: 'en S Y',
    monthNames: [
      ...'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
    ],
    prepositions: words('le du au en depuis dès avant après pour jusqu dans'),
    parts: { morning: 'au matin', afternoon: 'l’après-midi', evening: 'au soir', night: 'la nuit' },
  },
  capitalNouns: false,
};
