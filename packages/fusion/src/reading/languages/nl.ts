import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

export const DUTCH: Language = {
  code: 'nl',
  stopWords: words(`
    de het een en van is zijn was waren heeft hebben had hadden hij zij ze ik wij we jij je u jullie op te met voor dat in aan bij naar om
    uit over door tot als ook zich er die dit deze haar hun hem mijn onze ons ben bent wordt worden werd maar of want wanneer waar heel
    erg dan daar hier
    gebruiker gebruikers gebruikster
  `),
  numbers: spelledNumbers(
    'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
    'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
    (ten, one) => (one.endsWith('e') ? [`${one}ën${ten}`, `${one}en${ten}`] : [`${one}en${ten}`]),
  ),
  ambiguousNumbers: words('elf acht tien'),
  scales: new Map(Object.entries({ honderd: 100, duizend: 1e3, miljoen: 1e6 })),
  months: numbered(
    'januari|februari|maart mrt|april|mei|juni|juli|augustus|september|oktober okt|november|december',
  ),
  weekdays: numbered('maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag'),
  negators: words('niet nooit geen niets niemand zonder noch nergens nee'),
  units: named(
    'day dag dagen|week week weken|month maand maanden|year jaar jaren|hour uur uren|min minuut minuten',
  ),
  seasons: named('spring lente voorjaar|summer zomer|autumn herfst najaar|winter winter'),
  relative: `
    eergisteren = day -2
    gisteren = day -1
    gisterochtend|gistermorgen = day -1 morning
    gistermiddag = day -1 afternoon
    gisteravond = day -1 evening
    vandaag = day 0
    vanmorgen|vanochtend = day 0 morning
    vanmiddag = day 0 afternoon
    vanavond = day 0 evening
    vannacht = vague
    morgen = day 1
    morgenochtend = day 1 morning
    morgenmiddag = day 1 afternoon
    morgenavond = day 1 evening
    goede|elke|iedere|de|een|deze morgen = none
    overmorgen = day 2
    vorige|afgelopen {unit} = span -1
    vorig {unit} = span -1
    deze|dit {unit} = span 0
    volgende|volgend|komende|komend {unit} = span 1
    {n} {unit} geleden = ago
    een {unit} geleden = ago 1
    een paar|aantal {unit} geleden = vague
    enkele {unit} geleden = vague
    over {n} {unit} = in
    over een {unit} = in 1
    afgelopen|vorige {weekday} = weekday last
    deze {weekday} = weekday this
    volgende {weekday} = weekday next
    aanstaande|komende {weekday} = weekday coming
    op? {weekday} = weekday bare
    elke|iedere {weekday} = none
    van? {weekday} tot {weekday} = none
    vorige|afgelopen {season} = season last
    volgende {season} = season next
    afgelopen {month} = month last
  `,
  wording: {
    day: 'op D',
    week: 'in de week van D',
    weekend: 'in het weekend van D',
    month: 'in M Y',
    year: 'in Y',
    quarter: 'in D Y',
    season: 'in S Y',
    monthNames: [
      ...'januari februari maart april mei juni juli augustus september oktober november december'.split(' '),
    ],
    prepositions: words('op in sinds vanaf tot van voor na sedert'),
    parts: { morning: '’s ochtends', afternoon: '’s middags', evening: '’s avonds', night: '’s nachts' },
  },
  capitalNouns: false,
};
