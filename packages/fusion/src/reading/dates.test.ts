import { describe, expect, it } from 'vitest';
import { atomsIn, spellings } from '../testing/spellings.ts';

describe('dates', () => {
  it.each(
    spellings([
      [['Friday, May 3, 2024', 'Fri, 3 May 2024'], 'date:2024-05-03'],
      [['Thursday, May 3, 2024'], ['date:thursday', 'date:2024-05-03']],
      [
        ['May 3rd, 2024', 'the 3rd of May 2024', 'the third of May, 2024', '03.05.2024', "May 3, '24"],
        'date:2024-05-03',
      ],
      [["May '24", 'May 2024', '05/2024', '2024-05', 'May of 2024'], 'date:2024-05'],
      [['spring 2023', 'the spring of 2023', "spring '23", 'Spring 2023'], 'date:2023-spring'],
      [['fall 2023', 'autumn 2023'], 'date:2023-autumn'],
      [['Q3 2024', '2024 Q3', 'the third quarter of 2024', 'Q3 of 2024'], 'date:2024-Q3'],
      [['Q3'], 'date:Q3'],
      [['the 1990s', 'the 90s', "the '90s", 'the nineties', "the 1990's"], 'date:1990s'],
      [['her 30s', 'her thirties'], 'date:30s'],
      [['1998', "'98"], 'date:1998'],
    ]),
  )('%s', (text, expected) => {
    expect(atomsIn(`was in ${text}`)).toEqual(expected);
  });

  it.each(
    spellings([
      [
        [
          '3-5 May',
          '3 to 5 May',
          'from 3 to 5 May',
          'May 3-5',
          'May 3 to 5',
          '3–5 May',
          '3 May to 5 May',
          'May 3rd through 5th',
        ],
        'date:--05-03..--05-05',
      ],
      [
        [
          '3-5 May 2024',
          'May 3-5, 2024',
          '3 May – 5 May 2024',
          '3 May to 5 May 2024',
          '2024-05-03 to 2024-05-05',
        ],
        'date:2024-05-03..2024-05-05',
      ],
      [
        ['2019-2021', '2019–2021', 'from 2019 to 2021', 'between 2019 and 2021', '2019-21'],
        'date:2019..2021',
      ],
      [['Monday to Friday', 'Mon-Fri', 'Monday through Friday'], 'date:monday..friday'],
      [['March to May', 'March–May'], 'date:--03..--05'],
    ]),
  )('ranges: %s', (text, expected) => {
    expect(atomsIn(`away ${text}`)).toEqual(expected);
  });

  it.each(
    spellings([
      [
        [
          'le 3 mai 2024 et il est là',
          'el 3 de mayo de 2024',
          'am 3. Mai 2024',
          'il 3 maggio 2024',
          'em 3 de maio de 2024',
          'op 3 mei 2024',
        ],
        'date:2024-05-03',
      ],
      [
        ['am Freitag', 'le vendredi', 'el viernes', 'il venerdì', 'na sexta-feira', 'op vrijdag'],
        'date:friday',
      ],
    ]),
  )('in other languages: %s', (text, expected) => {
    expect(atomsIn(text)).toEqual(expected);
  });

  it('takes no plain word for one', () => {
    for (const text of ['won 3 out of them all', 'they sat in the sun', 'you may 3 times', 'a mars bar']) {
      expect(atomsIn(text).filter((value) => value.startsWith('date'))).toEqual([]);
    }
  });
});

describe('times', () => {
  it.each(
    spellings([
      [
        [
          '3pm',
          '3 p.m.',
          '15:00',
          '3 in the afternoon',
          'three in the afternoon',
          "3 o'clock in the afternoon",
          'three pm',
          '3:00 PM',
          '15 Uhr',
        ],
        'time:15:00',
      ],
      [['half past three', '3:30'], 'time:03:30'],
      [['half past three pm', '3:30 p.m.', '15:30'], 'time:15:30'],
      [['quarter to nine', 'a quarter to nine', '8:45'], 'time:08:45'],
      [['ten past five', '5:10'], 'time:05:10'],
      [['7:30 in the morning', '7:30 am', '07:30', 'seven thirty am'], 'time:07:30'],
      [['10 at night', '10 pm'], 'time:22:00'],
      [['noon', '12 pm', '12:00', 'midday'], 'time:12:00'],
      [
        ['3-5 pm', '3 to 5 pm', '3 pm to 5 pm', 'between 3 and 5 pm', '15:00-17:00', '3pm–5pm', '3–5 pm'],
        'time:15:00..17:00',
      ],
      [['7:30 to 9 pm', '19:30 to 21:00', '7:30 pm to 9 pm', '7:30-9 pm'], 'time:19:30..21:00'],
      [['12 noon to 8 pm', 'noon to 8 pm'], 'time:12:00..20:00'],
      [['11-1 pm', '11 am to 1 pm'], 'time:11:00..13:00'],
    ]),
  )('%s', (text, expected) => {
    expect(atomsIn(`open ${text}`)).toEqual(expected);
  });
});
