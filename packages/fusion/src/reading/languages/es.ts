import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

export const SPANISH: Language = {
  code: 'es',
  stopWords: words(`
    el la los las un una unos unas de del al y e o u es son ha han era eran fue fueron está están ser estar él ella ellos ellas yo tú
    nosotros usted ustedes su sus mi mis tu tus con por para que se en lo le les me te nos a como muy también ya si cuando donde pero
    este esta estos estas ese esa eso esto más desde hasta entre sobre hay he
    usuario usuaria
  `),
  numbers: new Map([
    ...spelledNumbers(
      'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
      'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
      (ten, one) => (ten === 'veinte' ? [`veinti${one}`] : [`${ten} y ${one}`]),
    ),
    ['veintidós', 22],
    ['veintitrés', 23],
    ['veintiséis', 26],
    ['veintiún', 21],
  ]),
  ambiguousNumbers: words('dos once seis quince mil'),
  scales: new Map(Object.entries({ cien: 100, ciento: 100, mil: 1e3, millón: 1e6, millones: 1e6 })),
  months: numbered(
    'enero ene|febrero|marzo|abril abr|mayo|junio|julio|agosto|septiembre setiembre|octubre|noviembre|diciembre dic',
  ),
  weekdays: numbered('lunes|martes|miércoles|jueves|viernes|sábado sábados|domingo domingos'),
  negators: words('no nunca jamás ningún ninguno ninguna nada nadie sin tampoco ni'),
  units: named(
    'day día días|week semana semanas|month mes meses|year año años|hour hora horas|min minuto minutos',
  ),
  seasons: named('spring primavera|summer verano|autumn otoño|winter invierno'),
  relative: `
    anteayer|antier = day -2
    antes de ayer = day -2
    ayer = day -1
    ayer por|en la mañana = day -1 morning
    ayer por|en la tarde = day -1 afternoon
    ayer por|en la noche = day -1 night
    anoche = day -1 night
    hoy = day 0
    hoy por|en la mañana = day 0 morning
    esta mañana = day 0 morning
    esta tarde = day 0 afternoon
    esta noche = day 0 evening
    mañana = day 1
    mañana por|en la mañana = day 1 morning
    mañana por|en la tarde = day 1 afternoon
    mañana por|en la noche = day 1 night
    la|una|cada|las|toda mañana = none
    pasado mañana = day 2
    la|el {unit} pasada|pasado = span -1
    la|el pasada|pasado {unit} = span -1
    la|el próxima|próximo {unit} = span 1
    próxima|próximo {unit} = span 1
    la|el {unit} que viene = span 1
    esta|este {unit} = span 0
    hace {n} {unit} = vague
    hace un|una {unit} = vague
    hace unos|unas|algunos|algunas|varios|varias|pocos {unit} = vague
    hace mucho|poco = vague
    dentro de {n} {unit} = in
    dentro de un|una {unit} = in 1
    en {n} {unit} = future
    el {weekday} pasado = weekday last
    el pasado {weekday} = weekday last
    el próximo {weekday} = weekday next
    el {weekday} que viene = weekday next
    este {weekday} = weekday this
    el? {weekday} = weekday bare
    los|cada|todos {weekday} = none
    de? {weekday} a {weekday} = none
    {month} pasado = month last
    el verano|otoño|invierno pasado = vague
    la primavera pasada = vague
    el próximo verano|otoño|invierno = vague
    la próxima primavera = vague
  `,
  wording: {
    day: 'el D',
    week: 'en la semana del D',
    weekend: 'el fin de semana del D',
    month: 'en M de Y',
    year: 'en Y',
    quarter: 'en el D Y',
    season: 'en S de Y',
    monthNames: [
      ...'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(
        ' ',
      ),
    ],
    prepositions: words('el del desde hasta en de para antes después al'),
    parts: {
      morning: 'por la mañana',
      afternoon: 'por la tarde',
      evening: 'por la noche',
      night: 'por la noche',
    },
  },
  capitalNouns: false,
};
