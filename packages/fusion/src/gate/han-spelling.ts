/** Chinese and Japanese spellings of one thing: numbers in characters, weekdays, and set endings that say "may" and "must". */
const DIGITS = new Map([...'零一二三四五六七八九'].map((sign, value) => [sign, value] as const));
DIGITS.set('两', 2).set('兩', 2).set('〇', 0);
const SCALES = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);
const MYRIAD = 10_000;
/** What numbers count: before one of these a character is a number, and no part of a word. */
const COUNTED =
  '岁歳片次杯碗枚冊册回件人名台辆輛公里元円块塊年月日号號時时点點分粒瓶盒斤克米层層階本匹只頭头週周か個个章話篇';
const SPELLED = new RegExp(
  `(?<![周週期拜曜第\\p{N}一二三四五六七八九十百千万两])([一二三四五六七八九十百千万两兩]+)(?=[${COUNTED}])`,
  'gu',
);
/** Before these "one" is an article as often. */
const ARTICLES = new Set('个個台辆輛只本匹件人名年月日点點時时分周週回'.split(''));
const MIXED = /(\d+(?:\.\d+)?)([万萬])(?!\p{N})/gu;

export function hanSpelling(text: string, code: string): string {
  let plain = text.replace(SPELLED, (all, digits: string, at: number) => {
    const next = text[at + all.length] ?? '';
    if (digits === '一' && ARTICLES.has(next)) return all;
    const value = numberOf(digits);
    return value === null ? all : String(value);
  });
  plain = plain.replace(MIXED, (all, amount: string) => {
    const value = Number(amount) * MYRIAD;
    return Number.isInteger(value) ? String(value) : all;
  });
  return code === 'ja' ? japanese(plain) : chinese(plain);
}

function numberOf(digits: string): number | null {
  let total = 0;
  let part = 0;
  let digit: number | null = null;
  for (const sign of digits) {
    const value = DIGITS.get(sign);
    const scale = SCALES.get(sign);
    if (value !== undefined) {
      if (digit !== null) return null;
      digit = value;
    } else if (scale !== undefined) {
      part += (digit ?? 1) * scale;
      digit = null;
    } else {
      total += (part + (digit ?? 0)) * MYRIAD;
      part = 0;
      digit = null;
    }
  }
  return total + part + (digit ?? 0);
}

function japanese(text: string): string {
  return text
    .replace(/([月火水木金土日])曜日/g, '$1曜')
    .replace(/かもしれ(?:ない|ません|ず|なく)|可能性が(?:ある|あり(?:ます)?)/g, 'カモ')
    .replace(
      /な(?:ければ|くては)(?:なら|いけ)(?:ない|ません|なく|ず)|(?:する|す)?必要が(?:ある|あり(?:ます)?)|ねばなら(?:ない|ず)/g,
      'ヒツヨウ',
    )
    .replace(/たいと思って(?:いる|い(?:ます|て)?|おり)|たいと(?:考えて|思い)(?:いる|います|ます)?/g, 'たい')
    .replace(/つまり|すなわち|なお、|また、|自分(?:自身)?|本人/g, '');
}

function chinese(text: string): string {
  return (
    text
      .replace(/星期|礼拜|禮拜/g, '周')
      .replace(/每个?(?=[天周月年晚早])/g, '每')
      .replace(/已经|已經|已(?=\p{sc=Han})(?![故婚育])|曾经|目前|现在|現在/gu, '')
      // A day that is named says that it will be.
      .replace(/(?<=\d[日号])要(?=[去到来飞搬])/g, '')
      .replace(/女朋友/g, '女友')
      .replace(/男朋友/g, '男友')
  );
}
