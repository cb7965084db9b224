import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { dayNumberOf, dayText, weekdayOf } from './calendar.ts';
import { resolveRelativeDates } from './relative-dates.ts';

/** A Wednesday. */
const SAID_ON = '2024-05-08';
const resolve = (text: string, saidOn: string | null = SAID_ON) => resolveRelativeDates(text, saidOn);

describe('what can be resolved for sure', () => {
  it.each([
    ['I met Ann yesterday.', 'I met Ann on 2024-05-07.'],
    ['Yesterday I bought a car.', 'On 2024-05-07 I bought a car.'],
    ['We ate there the day before yesterday.', 'We ate there on 2024-05-06.'],
    ['Today is her birthday', 'On 2024-05-08 is her birthday'],
    ['See you tomorrow morning', 'See you on 2024-05-09 in the morning'],
    ['the day after tomorrow', 'on 2024-05-10'],
    ['Had pizza last night', 'Had pizza on 2024-05-07 at night'],
    ['flies tonight', 'flies on 2024-05-08 in the evening'],
    ['ran 5 km this morning', 'ran 5 km on 2024-05-08 in the morning'],
    ["at yesterday's meeting", 'at the 2024-05-07 meeting'],
    ["Last month's bill", 'The April 2024 bill'],
    ['two weeks ago she moved', 'in the week of 2024-04-22 she moved'],
    ['twenty-one days ago', 'on 2024-04-17'],
    ['10 days ago', 'on 2024-04-28'],
    ['started a year ago', 'started in 2023'],
    ['moved 3 years ago', 'moved in 2021'],
    ['6 months ago', 'in November 2023'],
    ['two weeks from now', 'in the week of 2024-05-20'],
    ["in two weeks' time", 'in the week of 2024-05-20'],
    ['Elin retires in two years', 'Elin retires in 2026'],
    ['next check is in three months', 'next check is in August 2024'],
    ['"I saw her yesterday."', '"I saw her on 2024-05-07."'],
    ['in three days we will leave', 'on 2024-05-11 we will leave'],
    ['last week', 'in the week of 2024-04-29'],
    ['next week', 'in the week of 2024-05-13'],
    ['Joined this month', 'Joined in May 2024'],
    ['next month', 'in June 2024'],
    ['last year', 'in 2023'],
    ['since last year', 'since 2023'],
    ['next quarter', 'in Q3 2024'],
    ['earlier this year', 'earlier in 2024'],
    ['last weekend', 'on the weekend of 2024-05-04'],
    ['this weekend', 'on the weekend of 2024-05-11'],
    ['last Friday', 'on 2024-05-03'],
    ['this Friday', 'on 2024-05-10'],
    ['next Monday', 'on 2024-05-13'],
    ['this coming Monday', 'on 2024-05-13'],
    ['since Monday', 'since 2024-05-06'],
    ['went hiking on Saturday', 'went hiking on 2024-05-04'],
    ['I will fly on Saturday', 'I will fly on 2024-05-11'],
    ['last May', 'in May 2023'],
    ['last June', 'in June 2023'],
    ['next March', 'in March 2025'],
    ['last spring', 'in spring 2023'],
    ['last summer', 'in summer 2023'],
    ['next spring', 'in spring 2025'],
    ['last Christmas', 'Christmas 2023'],
  ])('English: %s', (text, expected) => {
    expect(resolve(text)).toEqual({ text: expected, unresolved: [] });
  });

  it.each([
    ['昨日、寿司を食べた', '2024年5月7日、寿司を食べた'],
    ['вчера купил машину', '2024-05-07 купил машину'],
    // For twelve years now: no date at all.
    ['mora em Lisboa há doze anos com a mãe', 'mora em Lisboa há doze anos com a mãe'],
    [
      'Gestern habe ich ein Auto gekauft und es war gut.',
      'Am 2024-05-07 habe ich ein Auto gekauft und es war gut.',
    ],
    ['Wir haben uns vor drei Tagen mit ihr getroffen.', 'Wir haben uns am 2024-05-05 mit ihr getroffen.'],
    ['Letzte Woche war ich mit Anna in Berlin.', 'In der Woche vom 2024-04-29 war ich mit Anna in Berlin.'],
    ['Ich gehe morgen mit dem Hund', 'Ich gehe am 2024-05-09 mit dem Hund'],
    ['Jeden Morgen trinkt er einen Kaffee', 'Jeden Morgen trinkt er einen Kaffee'],
    ['Hier, il a acheté une voiture avec sa femme.', 'Le 2024-05-07, il a acheté une voiture avec sa femme.'],
    ['La semaine dernière elle est allée à Paris', 'Dans la semaine du 2024-04-29 elle est allée à Paris'],
    ["L'année dernière il est venu", 'En 2023 il est venu'],
    ['il y a trois ans il est venu', 'en 2021 il est venu'],
    ['Ayer compré un coche con mi hermana', 'El 2024-05-07 compré un coche con mi hermana'],
    ['Mañana voy al médico con mi hijo', 'El 2024-05-09 voy al médico con mi hijo'],
    ['por la mañana toma el café y la leche', 'por la mañana toma el café y la leche'],
    ['La semana pasada estuvo en el médico', 'En la semana del 2024-04-29 estuvo en el médico'],
    [
      'Ieri ho comprato una macchina con la mia amica',
      'Il 2024-05-07 ho comprato una macchina con la mia amica',
    ],
    ['due settimane fa è andato a Roma con lei', 'nella settimana del 2024-04-22 è andato a Roma con lei'],
    ['Ontem comprei um carro com a minha irmã', 'Em 2024-05-07 comprei um carro com a minha irmã'],
    ['dois anos atrás ele foi para o Porto com ela', 'em 2022 ele foi para o Porto com ela'],
    [
      'Gisteren heb ik een auto gekocht met mijn broer',
      'Op 2024-05-07 heb ik een auto gekocht met mijn broer',
    ],
    ['drie dagen geleden is hij naar Utrecht verhuisd', 'op 2024-05-05 is hij naar Utrecht verhuisd'],
  ])('other languages: %s', (text, expected) => {
    expect(resolve(text)).toEqual({ text: expected, unresolved: [] });
  });
});

describe('what the sentence places ahead', () => {
  it.each([
    ['A technician comes on Monday.', 'A technician comes on 2024-05-13.'],
    ['the dentist appointment is on Friday', 'the dentist appointment is on 2024-05-10'],
    [
      'Values improved, the next check is in three months.',
      'Values improved, the next check is in August 2024.',
    ],
    ['has to give a talk in exactly four weeks', 'has to give a talk in the week of 2024-06-03'],
    ['The passport expires next month, on the 19th.', 'The passport expires on 2024-06-19.'],
    ['It expires on the 19th of next month.', 'It expires on 2024-06-19.'],
    ['was to arrive last Monday, May 6, with a parcel', 'was to arrive Monday, May 6, with a parcel'],
    ['tmrw at nine', 'on 2024-05-09 at nine'],
  ])('%s', (text, expected) => {
    expect(resolve(text).text.toLowerCase()).toBe(expected.toLowerCase());
    expect(resolve(text).unresolved).toEqual([]);
  });

  it.each([
    'wants to pay 230 a month from now on',
    'fell on the stairs on Sunday (May 5)',
    'Values improved in three months.',
  ])('nothing relative: %s', (text) => {
    expect(resolve(text)).toEqual({ text, unresolved: [] });
  });

  it.each(['The cleaner usually comes on Monday.', 'He moved the party on Friday.'])(
    'a habit, or a way unknown: %s',
    (text) => {
      expect(resolve(text).unresolved).toHaveLength(1);
    },
  );
});

describe('what cannot', () => {
  it.each([
    ['the other day', 'the other day'],
    ['a few days ago', 'a few days ago'],
    ['about two weeks ago', 'two weeks ago'],
    ['2-3 weeks ago', '3 weeks ago'],
    ['1.5 years ago', '5 years ago'],
    ['two or three weeks ago', 'two or three weeks ago'],
    ['a couple of years ago', 'a couple of years ago'],
    ['some while ago', 'ago'],
    // Either the coming Friday or the one of next week.
    ['next Friday', 'next Friday'],
    ['last Tuesday', 'last Tuesday'],
    ['next weekend', 'next weekend'],
    ['next June', 'next June'],
    ['last winter', 'last winter'],
    ['next summer', 'next summer'],
    ['appointment on Friday', 'Friday'],
    ['bought tickets for Saturday', 'Saturday'],
    ['in 3 weeks', 'in 3 weeks'],
    ['for the past 3 years', 'the past 3 years'],
    ['a fan of The Day After Tomorrow', 'The Day After Tomorrow'],
    ['said "see you tomorrow"', 'tomorrow'],
    // Two months ago, or for two months now.
    ['hace dos meses que vive en Lima con su hija', 'hace dos meses'],
    ['mora em Lisboa há dois meses com a mãe', 'há dois meses'],
    ['comprou a casa em Lisboa há doze anos com a mãe', 'há doze anos'],
    ['Morgen kommt er mit dem Zug und ist da.', 'Morgen'],
    ['先週、寿司を食べた', '先週'],
    ['на прошлой неделе купил машину', 'на прошлой неделе'],
  ])('is listed and left: %s', (text, phrase) => {
    expect(resolve(text)).toEqual({ text, unresolved: [phrase] });
  });

  it('includes everything when nobody knows when it was said', () => {
    for (const saidOn of [null, '', '2024-02-30', 'yesterday']) {
      expect(resolve('We met last week and yesterday.', saidOn)).toEqual({
        text: 'We met last week and yesterday.',
        unresolved: ['last week', 'yesterday'],
      });
    }
  });
});

describe('what is not relative', () => {
  it.each([
    'Works on Fridays and every Monday',
    'Open Monday to Friday, Mon-Fri 9 to 5',
    'On Friday, May 10 we meet',
    'Friday the 13th',
    'Good Friday is a holiday',
    'the first Monday of the month',
    'the last Thursday of the month',
    'meant to last eighteen months',
    'every day except Wednesday',
    'usually on the last day',
    'a book about the Sun',
    'plays tennis Tuesday nights and Sunday mornings',
    'the last week of May 2024',
    'her last day at work',
    'She may come, they march on in the sun',
    'Finished the book in 3 days',
    'the next morning he left',
    'User lives in Oslo since 2019-03-04.',
    '',
  ])('is left as it is: %s', (text) => {
    const resolved = resolve(text);
    expect(resolved).toEqual({ text, unresolved: [] });
  });
});

describe('any text', () => {
  const PIECES = [
    ...[
      'yesterday',
      'last',
      'next',
      'this',
      'week',
      'Friday',
      'two',
      'days',
      'ago',
      'in',
      'the',
      'on',
      'May',
      'summer',
      'will',
      'met',
    ],
    ...['weekend', "today's", ',', '.', '"', '2024', 'morgen', 'ayer', 'a', 'month', 'since', 'night', '\n'],
  ];
  const day = fc.integer({ min: 0, max: 40_000 }).map(dayText);

  it('is resolved once and for all', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), day, day, (pieces, one, other) => {
        const first = resolve(pieces.join(' '), one);
        expect(resolve(first.text, one).text).toBe(first.text);
        // What stays relative was listed as such: on another day no more is left to resolve than was listed.
        const again = resolve(first.text, other);
        if (first.unresolved.length === 0) expect(again.text).toBe(first.text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives back what it does not touch, unit by unit', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 200 }), day, (text, saidOn) => {
        const { text: resolved, unresolved } = resolve(text, saidOn);
        expect(resolved === text || unresolved.length >= 0).toBe(true);
        expect(resolve(resolved, saidOn).text).toBe(resolved);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['yesterday ', 'last ', 'two ', 'in two ', '"', 'Friday-', 'x', '昨日', 'a\n'])(
    'is read in linear time: 300,000 characters of %j',
    (piece) => {
      const text = piece.repeat(Math.ceil(300_000 / piece.length));
      expect(typeof resolve(text).text).toBe('string');
    },
  );

  it('knows the days', () => {
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_000_000 }), (at) => {
        expect(dayNumberOf(dayText(at))).toBe(at);
        expect(weekdayOf(at + 1)).toBe((weekdayOf(at) % 7) + 1);
      }),
    );
    expect(weekdayOf(dayNumberOf('2024-05-08')!)).toBe(3);
    expect(dayNumberOf('2023-02-29')).toBeNull();
  });
});
