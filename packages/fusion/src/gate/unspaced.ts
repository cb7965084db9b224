import { wordList } from './lexicon/word-list.ts';

/**
 * Words of scripts that write no spaces, as the platform's own dictionary parts them. Two texts that are parted differently count as
 * different, which costs a fusion and no fact.
 */
const SEGMENTERS = new Map<string, Intl.Segmenter>();
const HAN = /\p{sc=Han}/u;
const NOT_HAN = /[^\p{sc=Han}]/gu;
const KATAKANA = /[\p{sc=Katakana}ー]/u;
const NOT_KATAKANA = /[^\p{sc=Katakana}ー]/gu;
const HIRAGANA_ONLY = /^[\p{sc=Hiragana}ー]+$/u;
/** Characters that carry grammar rather than content. */
const HAN_STOP = new Set([
  ...'但的了是在和與与並并也都就很这這那她他它我们們个個着著把被给給跟及以於于之所而且又还還其有名叫',
]);
const KANA_STOP = wordList(`
  です ます いる てい てお だが いと ので だけど けれど おります おり あります しまい いた いて ある あり あって する して した され から まで ので こと ため など という には では とは また そして それ これ この その
  あの ここ そこ もの よう として による について において おり でも だけど しかし ただし ており である だった でした ました ません さん ちゃん くん
  ところ とも にも への での からの までの のが のは のを のに んで って れる られる せる させる たち だ な に を は が と も で の へ や か ね よ て た し
  さ れ い う ん ら り る く き け こ そ せ す ず つ ち ぬ み む め も ゆ よ ろ わ お あ え ば なら ながら つつ たり だり なり なる なった なって
  できる でき もらう もらった くれる くれた あげる いう いって いい みる みた くる きた いく いった おく おいた しまう しまった らしい そう たい たがる
  せん ます ない と言う ほか さらに どちら とても よく いずれ ごと たびに うち とき ころ ごろ くらい ぐらい まま
`);
const JAPANESE_NOT = /(?:ない|ません|なかった|なく|なし|無し|無い|ずに|ぬ$)/u;
const CHINESE_NOT = /[不没沒未无無别別]/u;
const STOP_PHRASES =
  /(?:(?:用户|用戶)(?:说|說|表示|提到|称|稱)(?![服明话話清定唱])|用户|用戶|使用者|ユーザー(?:によると|いわく)|ユーザー|ユーザ|本人|自己|私|僕|彼女|彼|の?名前は|(?:行われ|開催され|実施され)(?:る|ます)|(?:の予定)(?:です|である|だ)?$)/gu;

export interface RunWord {
  /** What the word comes to without its grammar; '' for nothing. */
  key: string;
  negates: boolean;
  /** Whether it is where something begins or ends: 福岡から鹿児島まで, 从上海到北京. */
  way: 'from' | 'to' | '';
}

/** Particles behind a word, and words before one, that say from where and to where. */
const WAY_BEHIND = new Map<string, RunWord['way']>([
  ['から', 'from'],
  ['まで', 'to'],
]);
const WAY_BEFORE = new Map<string, RunWord['way']>([
  ['从', 'from'],
  ['從', 'from'],
  ['自', 'from'],
  ['到', 'to'],
  ['至', 'to'],
  ['往', 'to'],
  ['去', 'to'],
]);

export function readRun(text: string, code: string): RunWord[] {
  const locale = code === 'ja' || code === 'zh' || code === 'th' ? code : 'zh';
  let segmenter = SEGMENTERS.get(locale);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
    SEGMENTERS.set(locale, segmenter);
  }
  const words: RunWord[] = [];
  for (const part of text.replace(STOP_PHRASES, ' ').split(' ')) {
    if (part === '') continue;
    let way: RunWord['way'] = '';
    for (const { segment } of segmenter.segment(part)) {
      const last = words.at(-1);
      const behind = [...WAY_BEHIND].find(([particle]) => segment.startsWith(particle));
      if (code === 'ja' && behind && last) last.way = behind[1];
      const word = readSegment(segment, code);
      words.push({ ...word, way: word.key === '' ? '' : way });
      way = (code === 'zh' && WAY_BEFORE.get(segment)) || (word.key === '' ? way : '');
    }
    const negates = code === 'ja' && JAPANESE_NOT.test(part) && !words.some((word) => word.negates);
    if (negates) words.push({ key: '', negates: true, way: '' });
  }
  return words;
}

function readSegment(segment: string, code: string): Omit<RunWord, 'way'> {
  if (HIRAGANA_ONLY.test(segment)) {
    const key = KANA_STOP.has(segment) || segment.length < 2 ? '' : segment;
    return JAPANESE_NOT.test(segment) ? { key: '', negates: true } : { key, negates: false };
  }
  if (code !== 'ja' && CHINESE_NOT.test(segment)) {
    return { key: withoutStops(segment.replace(/[不没沒未无無别別]/gu, '')), negates: true };
  }
  if (HAN.test(segment))
    return { key: withoutStops(segment.replace(NOT_HAN, '')), negates: JAPANESE_NOT.test(segment) };
  if (KATAKANA.test(segment)) return { key: segment.replace(NOT_KATAKANA, ''), negates: false };
  return { key: segment, negates: false };
}

function withoutStops(text: string): string {
  return [...text].filter((character) => !HAN_STOP.has(character)).join('');
}
