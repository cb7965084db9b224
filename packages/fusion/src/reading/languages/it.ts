import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

export const ITALIAN: Language = {
  code: 'it',
  stopWords: words(`
    il lo la gli i le l un uno una di del dello della dei degli delle è sono era erano ho ha hanno aveva essere avere lui lei noi voi loro io tu
    suo sua suoi sue mio mia miei mie nel nella nei nelle nello con per che si e ed o a al alla ai alle da dal dalla in su sul sulla ne ci
    vi come molto anche ma se quando dove più questo questa questi queste c'è
    utente l'utente dell'utente
  `),
  numbers: spelledNumbers(
    'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
    'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    (ten, one) =>
      /^[uo]/.test(one)
        ? [`${ten.slice(0, -1)}${one}`]
        : one === 'tre'
          ? [`${ten}tré`, `${ten}tre`]
          : [`${ten}${one}`],
  ),
  ambiguousNumbers: words('due sei tre otto nove sette cento mille'),
  scales: new Map(Object.entries({ cento: 100, mille: 1e3, mila: 1e3, milione: 1e6, milioni: 1e6 })),
  months: numbered(
    'gennaio genn|febbraio febbr|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre',
  ),
  weekdays: numbered('lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica domeniche'),
  negators: words('non senza nessun nessuno nessuna niente nulla né mai no nemmeno neanche neppure'),
  units: named(
    'day giorno giorni|week settimana settimane|month mese mesi|year anno anni|hour ora ore|min minuto minuti',
  ),
  seasons: named('spring primavera|summer estate|autumn autunno|winter inverno'),
  relative: `
    l'altro ieri = day -2
    altro ieri = day -2
    ieri = day -1
    ieri mattina = day -1 morning
    ieri sera = day -1 evening
    oggi = day 0
    stamattina|stamane = day 0 morning
    stasera = day 0 evening
    questa mattina = day 0 morning
    questa sera = day 0 evening
    stanotte = vague
    domani = day 1
    domani mattina = day 1 morning
    domani sera = day 1 evening
    dopodomani = day 2
    la|il|lo {unit} scorsa|scorso|passata|passato = span -1
    lo|la scorso|scorsa {unit} = span -1
    l'anno scorso|passato = year -1
    la|il {unit} prossima|prossimo = span 1
    la|il prossima|prossimo {unit} = span 1
    l'anno prossimo = year 1
    questa|questo {unit} = span 0
    quest'anno = year 0
    {n} {unit} fa = ago
    un|una {unit} fa = ago 1
    un'ora fa = vague
    qualche {unit} fa = vague
    alcuni|alcune {unit} fa = vague
    tempo fa = vague
    tra|fra {n} {unit} = in
    tra|fra un|una {unit} = in 1
    {weekday} scorso|scorsa = weekday last
    lo|la scorso|scorsa {weekday} = weekday last
    {weekday} prossimo|prossima = weekday next
    questo|questa {weekday} = weekday this
    {weekday} = weekday bare
    il|la|ogni|di {weekday} = none
    dal {weekday} al {weekday} = none
    {month} scorso = month last
    {month} prossimo = month next
    l'estate scorsa|prossima = vague
    l'inverno|autunno scorso|prossimo = vague
  `,
  wording: {
    day: 'il D',
    week: 'nella settimana del D',
    weekend: 'nel fine settimana del D',
    month: 'in M Y',
    year: 'nel Y',
    quarter: 'nel D Y',
    season: 'in S Y',
    monthNames: [
      ...'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(
        ' ',
      ),
    ],
    prepositions: words('il dal del al da in nel fino entro per prima dopo'),
    parts: { morning: 'di mattina', afternoon: 'di pomeriggio', evening: 'di sera', night: 'di notte' },
  },
  capitalNouns: false,
};
