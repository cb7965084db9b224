import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

export const GERMAN: Language = {
  code: 'de',
  stopWords: words(`
    der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren hat haben hatte hatten wird werden wurde
    ich er sie es wir ihr mich mir dich dir ihm ihn uns euch ihnen im in am an auf aus bei mit nach von vor zu zum zur über für als auch
    sich sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres mein meine meinen meinem meiner unser unsere dass da
    wenn weil während um durch gegen unter zwischen so wie bin bist dann dort hier sehr ganz gerade beim vom ins ans dieser diese dieses
    diesen diesem der nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenderin
  `),
  numbers: spelledNumbers(
    'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    (ten, one) => [`${one === 'eins' ? 'ein' : one}und${ten}`],
  ),
  ambiguousNumbers: words('elf acht'),
  scales: new Map(Object.entries({ hundert: 100, tausend: 1e3, million: 1e6, millionen: 1e6 })),
  months: numbered(
    'januar jänner|februar feber|märz|april|mai|juni|juli|august|september|oktober okt|november|dezember dez',
  ),
  weekdays: numbered('montag|dienstag|mittwoch|donnerstag|freitag|samstag sonnabend|sonntag'),
  negators: words(
    'nicht nie niemals kein keine keinen keiner keinem keines nichts niemand niemanden ohne weder nirgends',
  ),
  units: named(
    'day tag tage tagen tages|week woche wochen|month monat monate monaten monats|year jahr jahre jahren jahres|hour stunde stunden|min minute minuten',
  ),
  seasons: named('spring frühling frühjahr|summer sommer|autumn herbst|winter winter'),
  relative: `
    vorgestern = day -2
    gestern = day -1
    gestern früh|morgen = day -1 morning
    gestern abend = day -1 evening
    heute = day 0
    heute früh|morgen = day 0 morning
    heute abend = day 0 evening
    heute nacht = vague
    morgen = day 1
    morgen früh = day 1 morning
    morgen abend = day 1 evening
    am|jeden|guten|diesen|eines|frühen|nächsten morgen = none
    übermorgen = day 2
    letzte|vorige|vergangene {unit} = span -1
    letzten|vorigen|vergangenen {unit} = span -1
    letztes|voriges|vergangenes {unit} = span -1
    diese|dieser|diesen|dieses|diesem {unit} = span 0
    nächste|kommende|nächster|kommender {unit} = span 1
    nächsten|kommenden {unit} = span 1
    nächstes|kommendes {unit} = span 1
    letzter|voriger {unit} = span -1
    vor {n} {unit} = ago
    vor einem|einer {unit} = ago 1
    vor einigen|wenigen|ein_paar {unit} = vague
    vor kurzem = vague
    in {n} {unit} = future
    in einem|einer {unit} = future 1
    letzten|vergangenen|vorigen {weekday} = weekday last
    diesen {weekday} = weekday this
    nächsten {weekday} = weekday next
    kommenden {weekday} = weekday coming
    am? {weekday} = weekday bare
    jeden {weekday} = none
    {weekday} bis {weekday} = none
    letzten {month} = month last
    nächsten {month} = month next
    letzten {season} = season last
    letztes frühjahr = vague
    nächsten {season} = season next
  `,
  wording: {
    day: 'am D',
    week: 'in der Woche vom D',
    weekend: 'am Wochenende vom D',
    month: 'im M Y',
    year: 'im Jahr Y',
    quarter: 'im D Y',
    season: 'im S Y',
    monthNames: [
      ...'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
    ],
    prepositions: words('am im in seit bis ab vom von zum zu vor nach für'),
    parts: { morning: 'morgens', afternoon: 'nachmittags', evening: 'abends', night: 'nachts' },
  },
  capitalNouns: true,
};
