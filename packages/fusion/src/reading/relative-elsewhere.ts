import { dateOf, dayText, twoDigits, weekdayOf } from './calendar.ts';

/**
 * Relative dates in languages without a table of rules: the plain words for a day, a month or a year near today are resolved, everything else
 * that is known to depend on the day it was said is listed.
 */
type Span = 'day' | 'month' | 'year';

/** By language: what is meant, how far away, and the spellings. Inside a longer word none of them counts. */
const PHRASES: Readonly<Record<string, string>> = {
  ru: 'day -2 позавчера|day -1 вчера|day 0 сегодня|day 1 завтра|day 2 послезавтра|year -1 в_прошлом_году|year 0 в_этом_году|year 1 в_следующем_году',
  pl: 'day -2 przedwczoraj|day -1 wczoraj|day 0 dzisiaj dziś|day 1 jutro|day 2 pojutrze|year -1 w_zeszłym_roku w_ubiegłym_roku|year 0 w_tym_roku|year 1 w_przyszłym_roku',
  sv: 'day -2 i_förrgår|day -1 igår i_går|day 0 idag i_dag|day 1 imorgon i_morgon|day 2 i_övermorgon',
  tr: 'day -1 dün|day 0 bugün|day 1 yarın|year -1 geçen_yıl geçen_sene|year 0 bu_yıl bu_sene|year 1 gelecek_yıl gelecek_sene',
  ar: 'day -1 أمس|day 0 اليوم|day 1 غدا غداً',
  hi: 'day 0 आज',
  ko: 'day -2 그저께|day -1 어제|day 0 오늘|day 1 내일|day 2 모레|month -1 지난달|month 0 이번_달 이번달|month 1 다음_달 다음달|year -1 작년|year 0 올해|year 1 내년',
  ja: 'day -2 一昨日 おととい|day -1 昨日 きのう|day 0 今日 きょう 本日|day 1 明日 あした|day 2 明後日 あさって|month -1 先月|month 0 今月|month 1 来月|year -1 去年 昨年|year 0 今年|year 1 来年',
  zh: 'day -2 前天|day -1 昨天|day 0 今天|day 1 明天|day 2 后天 後天|month -1 上个月 上個月 上月|month 0 这个月 這個月 本月|month 1 下个月 下個月 下月|year -1 去年|year 0 今年|year 1 明年',
};
/** Scripts that write no spaces, and one whose words have their particles joined: there a phrase may stand in a run of letters. */
const UNSPACED: Readonly<Record<string, { before: string; after: string }>> = {
  ja: { before: '(?<!\\p{sc=Han})', after: '(?![度的子香頃中分期])' },
  zh: { before: '(?<![以之大几])', after: '(?![性气氣赋])' },
  ko: { before: '(?<!\\p{L})', after: '' },
};

/** What depends on the day it was said and is never resolved here. */
const VAGUE: Readonly<Record<string, string>> = {
  ru: '(?:дн(?:я|ей)|день|недел[юиь]|месяц(?:а|ев)?|года?|лет|час(?:а|ов)?) назад|недавно|на (?:прошлой|следующей|этой) неделе|в (?:прошл|следующ|эт)(?:ом|ий|ую|ый|от|у) \\p{L}+|через (?:(?:\\d+|пару|несколько|два|две|три|четыре|пять) (?:дн|недел|месяц|год|лет|час|минут)|день|недел|месяц|год|час|полгода)',
  pl: 'temu|w (?:zeszłym|ubiegłym|przyszłym|tym) (?:tygodniu|miesiącu)|za (?:(?:\\d+|dwa|dwie|trzy|kilka|parę) (?:dni|tygod|miesi|lat|godz)|tydzień|miesiąc|rok)|niedawno',
  sv: 'för .{1,20} sedan|förra (?:veckan|månaden|året)|nästa (?:vecka|månad|år)|om (?:\\d+|en|ett|två|tre|några) (?:dag|vecka|månad|år)|nyligen|i (?:år|fjol|kväll|morse|natt)|häromdagen',
  tr: 'geçen (?:hafta|ay|gün)|gelecek (?:hafta|ay)|önümüzdeki|haftaya|bu (?:hafta|ay|akşam|sabah)|(?:gün|hafta|ay|yıl|sene) (?:önce|sonra)|geçenlerde',
  ar: 'البارحة|الماضي|الماضية|القادم|القادمة|المقبل|المقبلة|قبل (?:يوم|أسبوع|شهر|سنة|عام)|بعد (?:يوم|أسبوع|شهر|سنة|عام)|منذ (?:يوم|أسبوع|شهر)',
  hi: 'कल(?!\\p{L}|\\p{M})|परसों|पिछले|पिछली|अगले|अगली|(?:दिन|हफ़्ते|हफ्ते|महीने|साल) (?:पहले|बाद)',
  ko: '지난주|지난번|이번 ?주|다음 ?주|(?:일|주|달|년|개월) ?(?:전|후|뒤)|어젯밤|오늘밤|방금|최근에',
  ja: '昨夜|今夜|今朝|先週|来週|今週|日前|週間前|か月前|ヶ月前|年前|日後|週間後|か月後|年後|さっき|最近|先日|週末に',
  zh: '昨晚|今晚|今早|上周|下周|本周|这周|上週|下週|天前|周前|个月前|年前|天后|周后|个月后|年后|刚才|最近|不久前|上星期|下星期|这星期',
  el: 'χθες|σήμερα|αύριο',
  he: 'אתמול|היום|מחר',
  th: 'เมื่อวาน|วันนี้|พรุ่งนี้',
};

/** A day of the week before, of this one or of the next: weeks begin on Monday. Where Sunday may begin one it stays open. */
const WEEKDAYS: Readonly<Record<string, { pattern: RegExp; weeks: readonly string[]; days: string }>> = {
  zh: {
    pattern: /(上|[这這本]|下)个?(?:周|週|星期|礼拜)([一二三四五六日天])/gu,
    weeks: ['上', '这', '下'],
    days: '一二三四五六日',
  },
  ja: { pattern: /([先今来])週の?([月火水木金土])曜日?/gu, weeks: ['先', '今', '来'], days: '月火水木金土' },
  ko: {
    pattern: /(지난|이번|다음) ?주 ?([월화수목금토])요일/gu,
    weeks: ['지난', '이번', '다음'],
    days: '월화수목금토',
  },
};

interface Phrase {
  span: Span;
  offset: number;
  pattern: RegExp;
}

const COMPILED = new Map<string, Phrase[]>();

function phrasesOf(code: string): Phrase[] {
  const known = COMPILED.get(code);
  if (known) return known;
  const { before, after } = UNSPACED[code] ?? { before: '(?<![\\p{L}\\p{M}])', after: '(?![\\p{L}\\p{M}])' };
  const phrases = (PHRASES[code] ?? '')
    .split('|')
    .filter((line) => line !== '')
    .map((line): Phrase => {
      const [span, offset, ...spellings] = line.split(' ');
      const words = spellings.map((spelling) => spelling.replaceAll('_', '\\s+')).join('|');
      return {
        span: span as Span,
        offset: Number(offset),
        pattern: new RegExp(`${before}(?:${words})${after}`, 'giu'),
      };
    });
  COMPILED.set(code, phrases);
  return phrases;
}

/**
 * @param today day number of the day on which it was said; null when nobody knows: then every such phrase is listed.
 * @returns the text with what could be resolved, and the phrases that were not.
 */
export function resolveElsewhere(
  text: string,
  today: number | null,
  code: string,
): { text: string; unresolved: string[] } {
  const unresolved: string[] = [];
  let resolved = text;
  for (const { span, offset, pattern } of phrasesOf(code)) {
    resolved = resolved.replace(pattern, (phrase) => {
      if (today !== null) return worded(span, offset, today, code);
      unresolved.push(phrase);
      return phrase;
    });
  }
  if (today !== null) resolved = weekdaysIn(resolved, today, code);
  const vague = VAGUE[code];
  if (vague) {
    const border = UNSPACED[code] ? '' : '(?<![\\p{L}\\p{M}])';
    for (const [phrase] of resolved.matchAll(new RegExp(`${border}(?:${vague})`, 'giu')))
      unresolved.push(phrase);
  }
  return { text: resolved, unresolved };
}

function weekdaysIn(text: string, today: number, code: string): string {
  const table = WEEKDAYS[code];
  if (!table) return text;
  return text.replace(table.pattern, (_all, week: string, day: string) => {
    const away = table.weeks.indexOf(/[這本]/.test(week) ? '这' : week) - 1;
    const weekday = table.days.indexOf(day === '天' ? '日' : day);
    return worded('day', away * 7 + weekday + 1 - weekdayOf(today), today, code);
  });
}

/** A date as the language writes it where a reader of dates needs it, and the plain one elsewhere. */
function worded(span: Span, offset: number, today: number, code: string): string {
  const day = span === 'day' ? today + offset : today;
  const { year, month, date } = dateOf(day);
  const signs =
    code === 'ja' || code === 'zh' ? ['年', '月', '日'] : code === 'ko' ? ['년 ', '월 ', '일'] : null;
  if (span === 'day') return signs ? `${year}${signs[0]}${month}${signs[1]}${date}${signs[2]}` : dayText(day);
  if (span === 'year') return signs ? `${year + offset}${signs[0]!.trim()}` : yearIn(year + offset, code);
  const at = year * 12 + month - 1 + offset;
  const [inYear, inMonth] = [Math.floor(at / 12), (at % 12) + 1];
  return signs ? `${inYear}${signs[0]}${inMonth}${signs[1]!.trim()}` : `${inYear}-${twoDigits(inMonth)}`;
}

function yearIn(year: number, code: string): string {
  if (code === 'ru') return `в ${year} году`;
  if (code === 'pl') return `w ${year} roku`;
  return String(year);
}
