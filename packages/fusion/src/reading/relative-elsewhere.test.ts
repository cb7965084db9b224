import { describe, expect, it } from 'vitest';
import { dayNumberOf } from './calendar.ts';
import { resolveElsewhere } from './relative-elsewhere.ts';

const today = dayNumberOf('2025-01-01')!;

describe('resolveElsewhere', () => {
  it.each([
    ['ru', 'Вчера шёл дождь', '2024-12-31 шёл дождь'],
    ['pl', 'Kupił rower wczoraj.', 'Kupił rower 2024-12-31.'],
    ['sv', 'Hon kommer i morgon', 'Hon kommer 2025-01-02'],
    ['tr', 'Dün geldi', '2024-12-31 geldi'],
    ['ja', '昨日、買った', '2024年12月31日、買った'],
    ['ja', '来月に引っ越す', '2025年2月に引っ越す'],
    ['zh', '上个月搬家', '2024年12月搬家'],
    ['ko', '어제 샀다', '2024년 12월 31일 샀다'],
    ['zh', '下周三复查', '2025年1月8日复查'],
    ['zh', '上星期天', '2024年12月29日'],
    ['ja', '来週の水曜日に', '2025年1月8日に'],
    ['ko', '다음 주 월요일', '2025년 1월 6일'],
    ['ru', 'в прошлом году', 'в 2024 году'],
  ])('%s: %s', (code, text, resolved) => {
    expect(resolveElsewhere(text, today, code)).toEqual({ text: resolved, unresolved: [] });
  });

  it.each([
    ['ru', 'летит через Стамбул'],
    ['pl', 'rower za 1200 zł'],
    ['zh', '以前天气很好'],
    ['ja', '明日香さん'],
  ])('%s: leaves %s', (code, text) => {
    expect(resolveElsewhere(text, today, code)).toEqual({ text, unresolved: [] });
  });

  it.each([
    ['ru', 'через 3 дня'],
    ['ru', 'на прошлой неделе'],
    ['pl', 'za tydzień'],
    ['ja', '先週'],
    ['zh', '上周'],
    ['zh', '下周'],
    ['ja', '来週の日曜日'],
    ['hi', 'कल आया'],
  ])('%s: lists %s', (code, text) => {
    expect(resolveElsewhere(text, today, code).unresolved.length).toBeGreaterThan(0);
  });

  it('lists what it would resolve when nobody knows the day', () => {
    expect(resolveElsewhere('Вчера шёл дождь', null, 'ru')).toEqual({
      text: 'Вчера шёл дождь',
      unresolved: ['Вчера'],
    });
  });
});
