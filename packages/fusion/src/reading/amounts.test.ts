import { describe, expect, it } from 'vitest';
import { atomsIn, spellings } from '../testing/spellings.ts';

describe('amounts', () => {
  it.each(
    spellings([
      [['a hundred and five men', '105 men', 'one hundred five men'], 'number:105'],
      [['two and a half', '2.5', '2 1/2', '2½', '2 and a half', 'two point five'], 'number:2.5'],
      [['two and a half million', '2.5 million', '2.5M'], 'number:2500000'],
      [['half a dozen eggs', '6 eggs', 'six eggs'], 'number:6'],
      [['a dozen eggs', 'twelve eggs', '12 eggs'], 'number:12'],
      [['two dozen eggs'], 'number:24'],
      [['1.5k followers', '1,500 followers', '1500 followers', '1 500 followers'], 'number:1500'],
      [['5 lakh rows', '5,00,000 rows', '500,000 rows'], 'number:500000'],
      [['1/2 of it', '½ of it', 'half of it', '0.5 of it', '.5 of it'], 'number:0.5'],
      [['one-third of it', 'a third of it', '1/3 of it'], 'number:1/3'],
      [['two thirds', '2/3'], 'number:2/3'],
      [['minus 5 °C', '-5 °C', '−5 degrees Celsius'], 'number:-5 °c'],
      [['the 21st', 'the twenty-first'], 'number:21th'],
      [['aged 34', '34 years old', 'a 34-year-old', '34 yo', 'age 34', '34 y/o'], 'number:34 year old'],
      [['a 6-month-old', 'six months old'], 'number:6 month old'],
      [
        ['90 minutes', 'an hour and a half', '1.5 hours', '1h30', '1 h 30 min', 'one and a half hours'],
        'number:90 min',
      ],
      [['half an hour', '30 min', 'thirty minutes', 'a half hour'], 'number:30 min'],
      [['2h30', '2 hours and 30 minutes', 'two and a half hours', '2h 30m', '2.5 hrs'], 'number:150 min'],
      [
        ['90 km/h', '90 kilometres per hour', '90 km per hour', '90 km an hour', '90 kmh'],
        ['number:90 km', 'number:per hour'],
      ],
      [
        [
          'three times a week',
          '3 times per week',
          '3x a week',
          '3x/week',
          'thrice weekly',
          '3 times every week',
        ],
        ['number:3 times', 'number:per week'],
      ],
      [
        ['twice a day', 'two times a day', '2x daily', 'twice daily'],
        ['number:2 times', 'number:per day'],
      ],
      [
        ['30 minutes of walking per day', '30 minutes of walking a day', 'half an hour of walking daily'],
        ['number:30 min', 'number:per day'],
      ],
      [['142 over 91', '142/91'], 'number:142/91'],
      [['a week in May and a day off'], 'date:--05'],
      [['10x15 cm', '10 x 15 cm', '10 × 15 cm', '10 by 15 centimetres', '10cm x 15cm'], 'number:10x15 cm'],
      [['5\'10"', '5 ft 10 in', '5 feet 10 inches', 'five foot ten', '5 feet 10'], "number:5'10 ft"],
      [['50 m²', '50 square metres', '50 sqm'], 'number:50 sqm'],
      [['20%', '20 percent', 'twenty per cent', '20 pct'], 'number:20 percent'],
      [['version 3.10'], 'number:3.10'],
      [['v2.3.1', 'version 2.3.1'], 'number:2.3.1'],
      [['drei Katzen und der Hund ist da', '3 Katzen und der Hund ist da'], 'number:3'],
      [['fünfundzwanzig'], 'number:25'],
      [['quatre-vingt-dix chats'], 'number:90'],
      [['treinta y cinco gatos'], 'number:35'],
      [['ventotto gatti'], 'number:28'],
      [['vinte e cinco gatos'], 'number:25'],
      [['drieëntwintig katten'], 'number:23'],
    ]),
  )('%s', (text, expected) => {
    expect(atomsIn(`has ${text}`)).toEqual(expected);
  });

  it.each(
    spellings([
      [
        [
          '3-5 km',
          '3 to 5 km',
          '3–5 km',
          'between 3 and 5 km',
          'from three to five kilometres',
          '3 km to 5 km',
        ],
        'number:3..5 km',
      ],
      [['1-2 hours', 'one to two hours', '60-120 minutes'], 'number:60..120 min'],
      [['$10-15', '$10 to $15', '10-15 dollars'], 'number:10..15 usd'],
      [['two to three times a week'], ['number:2..3 times', 'number:per week']],
      [['at least 50 kg', '50 kg or more', 'no less than 50 kg', '≥ 50 kg'], 'number:>=50 kg'],
      [['50+', 'at least 50', '50 or more'], 'number:>=50'],
      [['more than 50', 'over 50', '>50'], 'number:>50'],
      [['less than 5', 'under five', '<5', 'fewer than 5'], 'number:<5'],
      [['up to 5', 'at most 5', 'no more than 5', '5 or fewer'], 'number:<=5'],
      [['3:2'], 'number:3:2'],
      [['10 to 5', '10-5', 'from 10 to 5'], 'number:10..5'],
    ]),
  )('that are not one number: %s', (text, expected) => {
    expect(atomsIn(`had ${text}`)).toEqual(expected);
  });

  it.each(
    spellings([
      [
        [
          '$1,200',
          '1200 dollars',
          'USD 1.2k',
          '$1,200.00',
          'US$1200',
          '1,200 bucks',
          '$1.2k',
          '1200 USD',
          '$1200 USD',
          '1,200 US dollars',
        ],
        'number:1200 usd',
      ],
      [['€50', 'fifty euros', '50 €', 'EUR 50', '50 euro', '50€'], 'number:50 eur'],
      [['£3m', '£3 million', '3 million quid', '3,000,000 GBP'], 'number:3000000 gbp'],
      [['paid 20 pounds', 'paid £20'], 'number:20 gbp'],
      [['lost 20 pounds', 'lost 20 lbs', 'lost 20 lb'], 'number:20 lb'],
      [['5 cents', 'five cents', '5¢'], 'number:5 cent'],
      [
        ['$20 per hour', '$20/hour', '$20 an hour', '20 dollars an hour', '$20/h', '$20 hourly'],
        ['number:20 usd', 'number:per hour'],
      ],
      [['2,500 Swiss francs', 'CHF 2500'], 'number:2500 chf'],
      [['2.400 Euro', '2400 Euro', '€2,400'], 'number:2400 eur'],
      [['Rs. 500', '₹500', '500 rupees'], 'number:500 inr'],
      [['A$20'], 'number:20 aud'],
    ]),
  )('of money: %s', (text, expected) => {
    expect(atomsIn(`he ${text}`)).toEqual(expected);
  });

  it.each(
    spellings([
      [['+1 (555) 123-4567', '+1 555 123 4567', '+15551234567'], 'number:+15551234567'],
      [['(555) 123-4567', '555-123-4567', '555 123 4567', '5551234567'], 'number:5551234567'],
      [['+44 20 7946 0958'], 'number:+442079460958'],
      [['555-0123'], 'number:5550123'],
      [['978-3-16-148410-0', '9783161484100'], 'number:9783161484100'],
      [['4111 1111 1111 1111'], 'number:4111111111111111'],
      [['192.168.1.1'], 'number:192.168.1.1'],
      [['flight LH1234', 'flight LH 1234'], 'code:lh1234'],
      [['room 12B', 'room 12b'], 'code:12b'],
      [['vitamin B12'], 'code:b12'],
      [['0x1F'], 'code:0x1f'],
      [['blood type O+', 'blood type O positive', 'blood type O pos'], 'code:o+'],
      [['blood type AB-', 'blood type AB negative'], 'code:ab-'],
      [['grade A+'], 'code:a+'],
      [['grade A-'], 'code:a-'],
      [['a 401(k)', 'a 401k'], 'code:401k'],
      [['size 42'], 'number:42'],
    ]),
  )('that identify: %s', (text, expected) => {
    expect(atomsIn(`has ${text}`)).toEqual(expected);
  });
});
