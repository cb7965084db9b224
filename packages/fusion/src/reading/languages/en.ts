import { type Language, named, numbered, spelledNumbers, words } from './language.ts';

/** English. Numbers beyond 99 in words have a grammar of their own, in number-words.ts. */
export const ENGLISH: Language = {
  code: 'en',
  stopWords: words(`
    a an the this that these those some any such
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs who whom whose which what
    myself yourself himself herself itself ourselves themselves one
    i'm i've i'd i'll it's he's she's that's they're we're you're he'd she'd we've they've you've we'd they'd there's
    and or but so if then than as of at by for with about into onto from in on to up out off over under near via per
    is are am was were be been being has have had having do does did doing
    there here when where while because although though since also too very really quite just well actually basically currently
    both each own same other others
    user users assistant
  `),
  numbers: spelledNumbers(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    'twenty thirty forty fifty sixty seventy eighty ninety',
    (ten, one) => [`${ten} ${one}`],
  ),
  ambiguousNumbers: new Set(),
  scales: new Map(),
  months: numbered(
    'january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|november nov|december dec',
  ),
  weekdays: numbered(
    'monday mon|tuesday tue tues|wednesday wed|thursday thu thur thurs|friday fri|saturday sat|sunday sun',
  ),
  negators: words(`
    not no never none nobody nothing neither nor without cannot nowhere dont doesnt didnt isnt arent wasnt werent cant couldnt wont
    wouldnt shouldnt hasnt havent hadnt aint
  `),
  units: named(
    'day day days|week week weeks wk wks|month month months|year year years yr yrs|hour hour hours|min minute minutes min mins|quarter quarter quarters|weekend weekend weekends|decade decade decades',
  ),
  seasons: named('spring spring|summer summer|autumn autumn fall|winter winter'),
  relative: `
    the? day before yesterday = day -2
    the? day before yesterday {part} = day -2
    the? day after tomorrow = day 2
    the? day after tomorrow {part} = day 2
    yesterday|yday = day -1
    yesterday|yday {part} = day -1
    the night before last = day -2 night
    last night|nite = day -1 night
    last evening = day -1 evening
    today = day 0
    tonight|tonite = day 0 evening
    this {part} = day 0
    tomorrow|tmrw|tmr|tomoz = day 1
    tomorrow|tmrw|tmr|tomoz {part} = day 1
    last|previous {unit} = span -1
    this {unit} = span 0
    this current {unit} = span 0
    next {unit} = span 1
    the last|past|next|coming|following|previous {unit} = loose
    the last|past|next|coming {n} {unit} = vague
    past {n} {unit} = vague
    in|over|during|for|within last|next {n} {unit} = vague
    past|coming {unit} = vague
    the last|next {unit} of = none
    the other day|night|week = vague
    {n} {unit} ago = ago
    a|an {unit} ago = ago 1
    {n} or|to {n} {unit} ago = vague
    {n} or|to {n} {unit} from now = vague
    in {n} or|to {n} {unit} = vague
    exactly? {n} {unit} ago today = exact
    exactly? a|an {unit} ago today = exact 1
    ago = vague
    a|an|one {unit} from now on = none
    {n} {unit} from now on = none
    {n} {unit} from now|today = in
    a|an|one {unit} from now|today = in 1
    in {n} {unit} time = in
    in {n} {unit} = future
    in exactly|precisely {n} {unit} = future
    in exactly|precisely a|an|one {unit} = future 1
    in a|an {unit} = future 1
    in a|an {unit} time = in 1
    half a|an {unit} ago = vague
    a few|couple|dozen {unit} ago = vague
    a couple of {unit} ago = vague
    few|several|some|many {unit} ago = vague
    in a few|couple {unit} = vague
    in a couple of {unit} = vague
    some time ago = vague
    a while|bit ago = vague
    long|ages|minutes|hours|moments ago = vague
    a long time ago = vague
    last {weekday} = weekday last
    last {weekday} of|in = none
    last {weekday} {part} = weekday last
    this past {weekday} = weekday past
    this past {weekday} {part} = weekday past
    this {weekday} = weekday this
    this {weekday} {part} = weekday this
    this coming {weekday} = weekday coming
    this coming {weekday} {part} = weekday coming
    coming|upcoming {weekday} = weekday coming
    next {weekday} = weekday next
    next {weekday} {part} = weekday next
    {weekday} = weekday bare
    {weekday} {part} = weekday bare
    last {month} = month last
    this {month} = month this
    next {month} = month next
    last {season} = season last
    this {season} = season this
    next {season} = season next
    last|this|next {holiday} = holiday
    every|each|all {weekday} = none
    every|each {weekday} {part} = none
    every|each other|second {weekday} = none
    {weekday} to|through|thru|until|till {weekday} = none
    these days = none
  `,
  wording: {
    day: 'on D',
    week: 'in the week of D',
    weekend: 'on the weekend of D',
    month: 'in M Y',
    year: 'in Y',
    quarter: 'in D Y',
    season: 'in S Y',
    monthNames: [
      ...'January February March April May June July August September October November December'.split(' '),
    ],
    prepositions: words(
      'on in at since until till by from to before after for of between during around through throughout about as',
    ),
    parts: {
      morning: 'in the morning',
      afternoon: 'in the afternoon',
      evening: 'in the evening',
      night: 'at night',
    },
  },
  capitalNouns: false,
};
