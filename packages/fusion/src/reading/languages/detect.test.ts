import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOf } from './all.ts';
import { detectLanguage } from './detect.ts';

describe('detectLanguage', () => {
  it.each([
    ['en', 'User has a dog named Rex.'],
    ['en', 'Allergic to peanuts'],
    ['en', 'She met a journalist of Le Monde in Paris'],
    ['en', ''],
    ['en', '12345 !?'],
    ['de', 'Der Hund heißt Rex und ist sehr alt.'],
    ['fr', 'Le chien est dans la maison avec elle.'],
    ['es', 'El perro está en la casa con su hermana.'],
    ['it', 'Il cane è nella casa con la sorella.'],
    ['pt', 'O cachorro está em casa com a irmã e não late.'],
    ['nl', 'De hond is in het huis met zijn zus.'],
    ['ja', '東京に住んでいる'],
    ['zh', '他住在北京'],
    ['ko', '서울에 살아요'],
    ['ru', 'Живёт в Москве'],
    ['ar', 'يعيش في القاهرة'],
    ['hi', 'वह दिल्ली में रहता है'],
  ])('%s: %s', (code, text) => {
    expect(detectLanguage(text)).toBe(code);
  });
});

describe('the tables', () => {
  it.each(LANGUAGES.map((language) => [language.code, language] as const))(
    'of %s are whole',
    (code, language) => {
      expect(languageOf(code)).toBe(language);
      expect(new Set(language.months.values()).size).toBe(12);
      expect(new Set(language.weekdays.values()).size).toBe(7);
      for (let value = 2; value < 100; value += 1) expect([...language.numbers.values()]).toContain(value);
      for (const unit of ['day', 'week', 'month', 'year'])
        expect([...language.units.values()]).toContain(unit);
      expect(language.wording.monthNames).toHaveLength(12);
      expect(language.negators.size).toBeGreaterThan(3);
    },
  );
});
