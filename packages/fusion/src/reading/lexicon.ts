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
