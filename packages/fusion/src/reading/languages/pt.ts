import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

export const PORTUGUESE: Language = {
  code: 'pt',
  stopWords: words(`
    o a os as um uma uns umas de do da dos das e é são foi foram era eram está estão ser estar tem têm ter tinha ele ela eles elas eu tu você
    vocês nós em no na nos nas num numa com por para pelo pela que se seu sua seus suas meu minha meus minhas ao aos à às como muito também
    mas quando onde mais este esta esse essa isso isto lhe me te já há ou
    usuário usuária utilizador utilizadora
  `),
  numbers: new Map([
    ...spelledNumbers(
      'zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove',
      'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
      (ten, one) => [`${ten} e ${one}`],
    ),
    ['duas', 2],
    ['quatorze', 14],
    ['dezasseis', 16],
    ['dezassete', 17],
    ['dezanove', 19],
  ]),
  ambiguousNumbers: words('onze doze treze seis sete nove quinze mil cem cento'),
  scales: new Map(Object.entries({ cem: 100, cento: 100, mil: 1e3, milhão: 1e6, milhões: 1e6 })),
  months: numbered(
    'janeiro|fevereiro fev|março|abril|maio|junho|julho|agosto|setembro set|outubro out|novembro|dezembro dez',
  ),
  weekdays: numbered(
    'segunda_feira segundas_feiras|terça_feira terças_feiras|quarta_feira quartas_feiras|quinta_feira quintas_feiras|sexta_feira sextas_feiras|sábado sábados|domingo domingos',
  ),
  negators: words('não nao nem sem nenhum nenhuma ninguém jamais nunca nada tampouco'),
  units: named(
    'day dia dias|week semana semanas|month mês meses|year ano anos|hour hora horas|min minuto minutos',
  ),
  seasons: named('spring primavera|summer verão|autumn outono|winter inverno'),
  relative: `
    anteontem = day -2
    ontem = day -1
    ontem de|à|pela manhã = day -1 morning
    ontem à noite = day -1 night
    hoje = day 0
    hoje de|pela manhã = day 0 morning
    hoje à noite = day 0 evening
    amanhã = day 1
    amanhã de|pela manhã = day 1 morning
    amanhã à noite = day 1 evening
    depois de amanhã = day 2
    a|na|o|no {unit} passada|passado = span -1
    {unit} passada|passado = span -1
    a|na|o|no próxima|próximo {unit} = span 1
    a|na|o|no {unit} que vem = span 1
    {unit} que vem = span 1
    próxima|próximo {unit} = span 1
    esta|este|nesta|neste|essa|esse {unit} = span 0
    há {n} {unit} = vague
    há um|uma {unit} = vague
    há alguns|algumas|uns|umas {unit} = vague
    há muito|pouco = vague
    {n} {unit} atrás = ago
    um|uma {unit} atrás = ago 1
    daqui a {n} {unit} = in
    daqui a um|uma {unit} = in 1
    em {n} {unit} = future
    {weekday} passado|passada = weekday last
    próximo|próxima {weekday} = weekday next
    {weekday} que vem = weekday next
    neste|nesta|este|esta {weekday} = weekday this
    no|na? {weekday} = weekday bare
    ao|aos|às|cada|todo|todos {weekday} = none
    de {weekday} a {weekday} = none
    o|no verão|outono|inverno passado = vague
    a|na primavera passada = vague
  `,
  wording: {
    day: 'em D',
    week: 'na semana de D',
    weekend: 'no fim de semana de D',
    month: 'em M de Y',
    year: 'em Y',
    quarter: 'no D Y',
    season: 'em S de Y',
    monthNames: [
      ...'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(
        ' ',
      ),
    ],
    prepositions: words('em de desde até para antes depois por'),
    parts: { morning: 'de manhã', afternoon: 'de tarde', evening: 'à noite', night: 'à noite' },
  },
  capitalNouns: false,
};
