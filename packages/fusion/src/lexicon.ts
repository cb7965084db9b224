/**
 * Closed word lists that reading atoms and content words needs. All entries are lower case and NFKC. A word that stands here wrongly
 * costs a fusion at most (a source counts as not covered); the lists are small and the common languages' basics only.
 */
function words(text: string): Set<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Words that negate, English first, then de, fr, es, pt, it, nl, pl, ru, tr, ar, hi. */
export const NEGATIONS = words(`
  not no never none nobody nothing neither nor without cannot nowhere dont doesnt didnt isnt arent wasnt werent cant couldnt wont
  wouldnt shouldnt hasnt havent hadnt
  nicht nie niemals kein keine keinen keiner keinem keines nichts niemand ohne weder
  ne pas jamais aucun aucune rien sans ni non
  nunca jamás ningún ninguno ninguna nada nadie sin tampoco
  não nao nem sem nenhum nenhuma ninguém jamais
  senza nessun nessuno nessuna niente nulla né
  niet nooit geen niets niemand zonder
  nigdy nikt nic żaden żadna żadne bez
  не нет никогда ничего никто нельзя без ни
  değil yok hiç asla
  لا لم لن ليس بدون नहीं मत
`);

/** Parts of a run of Kana and Kanji, of Han alone, and of Hangul words that negate. */
export const JAPANESE_NEGATIONS = ['ない', 'ません', 'なかった', 'なく', '無い', 'ずに'];
export const CHINESE_NEGATIONS = ['不', '没', '沒', '未'];
export const KOREAN_NEGATIONS = ['않', '없', '못'];

/** Words without content of their own: articles, pronouns, prepositions, auxiliaries, fillers, and the stock subject "user". */
export const STOP_WORDS = words(`
  a an the this that these those some any such
  i me my mine we us our ours you your yours he him his she her hers it its they them their theirs who whom whose which what
  myself yourself himself herself itself themselves one
  i'm i've i'd i'll it's he's she's that's they're we're you're
  and or but so if then than as of at by for with about into onto from in on to up out off over under near via per
  is are am was were be been being has have had having do does did doing
  there here when where while because although though since also too very really quite just well actually basically currently
  both each own same other others
  user users assistant
  der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren hat haben hatte ich er sie es wir ihr im in
  am an auf aus bei mit nach von vor zu zum zur über für als auch sich sein seine seinen ihre ihren
  le la les un une des du de et ou est sont a ont il elle ils elles je nous vous se sa son ses au aux dans en par pour sur avec que
  qui
  el los las unos unas y o es son ha han él ella ellos yo su sus del al con por para que se en lo
  os as um uma do da dos das e é são tem ele ela eles seu sua em no na nos nas com por ao
  il lo gli i uno di del della dei delle è sono ho hanno lui lei suo sua nel nella con per che si
  het een en van is zijn heeft hij zij ze ik op te met voor dat
  w z na do i o się jest są ma to
  и в во на с со к у о от по за из это он она они я мы его её их был была есть
  ve bir bu o ile için da de
`);

/** Base forms of verbs that often open a memory; compared by stem. A capital on one of them at a sentence start is no name. */
export const OPENING_VERBS = words(`
  accept achieve add admire adopt agree aim allow answer appreciate arrive ask attend avoid bake become began begin believe book borrow
  bought bring brought build built buy call came cancel care carry celebrate change check choose chose clean climb collect come
  commute complete consider cook cycle dance decide describe design develop discover discuss dislike drink drive drove earn eat
  enjoy expect explain explore feed feel felt find finish fix focus follow forget found gave get give go got grew grow had
  handle has hate have hear heard help hire hold hope host improve invest is join keep kept knew know lead learn leave left like
  listen live look lose lost love made maintain make manage marry mean meet mention met move name need offer open order organise
  organize own paid paint pay plan play practice practise prefer prepare produce promise publish purchase quit ran read receive recommend
  refuse rely remember remind rent repair request require return ride run said save saw say schedule search see seem sell send
  sent serve share sign sing sleep sold speak spend spent spoke start stay stop store struggle study suffer suggest support swim
  switch take talk taught teach tell tend thank think thought told took track train translate travel tried trust try turn
  understand use value visit volunteer vote wait wake walk want was watch wear went were will win wish won wonder work worry write
  wrote adore suffer speak rent can could may might must shall should would does do did
`);

/** Other words that often open a sentence and are no name. */
export const OPENING_WORDS = words(`
  after again all almost already always another anything around before between during early either enough even every everyone
  everything few finally first former formerly frequently generally good great however last late later least less likely long
  lots many maybe more most mostly much new next normally now often old once only originally our people perhaps please possibly
  previously probably quickly rarely recently regularly second several sometimes soon still thing third today together tomorrow tonight
  until usually yes yesterday yet how why
  birthday breakfast lunch dinner favorite favourite family friend home hobby job kid child children mother father mom mum dad
  parent brother sister wife husband son daughter partner colleague boss manager cat dog pet car house flat office meeting appointment
  project team work morning evening night week weekend month year day time allergic allergy vegetarian vegan married single
  born based interested planning diagnosed prescribed phone number address email password code
  wohnt arbeitet mag hat liebt trinkt isst spielt fährt lebt hasst
  habite travaille aime préfère possède mange boit
  vive trabaja prefiere tiene come bebe juega vivo
  mora prefere gosta tem trabalha
  vive lavora preferisce ama mangia beve
  woont werkt houdt heeft drinkt
  mieszka pracuje lubi ma
  живёт живет работает любит предпочитает имеет
`);
