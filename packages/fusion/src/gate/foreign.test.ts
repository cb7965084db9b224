import { describe, expect, it } from 'vitest';
import type { Candidate } from '../memory.ts';
import { foreignKeys } from './foreign-keys.ts';
import { foreignStem } from './foreign-stems.ts';
import { checkGate } from './gate.ts';

const SAID = '2025-05-14';

function memberOf(content: string, index: number): Candidate {
  return {
    id: `m${index}`,
    contentHash: 'h',
    version: 1,
    // Padded, so that no summary is refused for its length.
    content: `${content}${' '.repeat(99)}`,
    category: 'fact',
    memoryType: 'regular',
    origin: 'user',
    visibility: 'private',
    importance: 5,
    confidence: 0.8,
    trust: 0.8,
    prominence: 0.3,
    confirmations: 0,
    documentDate: Date.parse(SAID),
    documentDay: SAID,
    eventDate: null,
    validFrom: null,
    validTo: null,
    createdAt: 0,
  };
}

function covered(sources: readonly string[], summary: string): number {
  const members = sources.map(memberOf);
  const claimed = members.map((_, index) => index + 1);
  const verdict = checkGate({ members, relations: [] }, summary, claimed, {
    latestCount: 1e6,
    alreadySuperseded: 0,
  });
  return verdict.ok ? verdict.coveredIds.length : 0;
}

const shares = (code: string, one: string, other: string): boolean => {
  const keys = foreignKeys(other, code, false);
  return foreignKeys(one, code, false).some((key) => keys.includes(key));
};

describe('forms that change no fact', () => {
  it.each([
    ['de', 'esse', 'isst'],
    ['de', 'arbeite', 'arbeitet'],
    ['de', 'kaufte', 'gekauft'],
    ['fr', 'dors', 'dort'],
    ['fr', 'travaillais', 'travaillait'],
    ['es', 'compré', 'compró'],
    ['es', 'adopté', 'adoptado'],
    ['es', 'prefiero', 'prefiere'],
    ['it', 'vado', 'va'],
    ['it', 'allenarmi', 'allenarsi'],
    ['pt', 'comprei', 'comprou'],
    ['pt', 'casar', 'casamento'],
    ['nl', 'woon', 'woont'],
    ['nl', 'wonen', 'woont'],
    ['pl', 'kupiłem', 'kupił'],
    ['pl', 'samochodu', 'samochód'],
    ['ru', 'люблю', 'любит'],
    ['ru', 'работаю', 'работает'],
    ['tr', 'köpeğimin', 'köpeği'],
    ['ko', '일한다', '일하며'],
    ['ko', '먹는다', '먹고'],
    ['ar', 'ابنتي', 'ابنته'],
    ['ar', 'أسكن', 'يسكن'],
  ])('%s: %s, %s', (code, one, other) => {
    expect(shares(code, one, other)).toBe(true);
  });

  it.each([
    ['de', 'isst', 'aß'],
    ['de', 'wohnt', 'wohnte'],
    ['fr', 'dort', 'dormi'],
    ['es', 'trabaja', 'trabajó'],
    ['es', 'trabaja', 'trabajaba'],
    ['es', 'hijo', 'hija'],
    ['it', 'lavora', 'lavorava'],
    ['pt', 'mora', 'morou'],
    ['nl', 'woont', 'woonde'],
    ['pl', 'lubi', 'lubił'],
    ['ru', 'работает', 'работал'],
    ['ko', '먹는다', '먹었다'],
    ['ar', 'ابنته', 'ابنه'],
    ['ar', 'مدرسة', 'مدرس'],
  ])('%s: %s is not %s', (code, one, other) => {
    expect(shares(code, one, other)).toBe(false);
  });

  it('leaves no word empty', () => {
    for (const code of ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'ru', 'tr', 'hi', 'ar', 'ko', 'fi'])
      for (const word of ['a', 'en', 'не', '이고', 'ال', ''])
        expect(foreignStem(word, code).length).toBe(
          word === '' ? 0 : Math.max(1, foreignStem(word, code).length),
        );
  });
});

describe('merges in other languages', () => {
  it.each([
    [
      'de',
      ['„Ich esse kein Rind“, sagte der Nutzer.', 'Der Nutzer hat gestern zwei Karten gekauft.'],
      'Der Nutzer isst kein Rind und hat am 13. Mai 2025 zwei Karten gekauft.',
    ],
    [
      'fr',
      ['Je dors mal depuis mars.', 'J’ai acheté une tente hier.'],
      "L'utilisateur dort mal depuis mars et a acheté une tente le 13 mai 2025.",
    ],
    [
      'es',
      ['No como gluten desde 2020.', 'Ayer compré una cafetera por 25 euros.'],
      'La usuaria no come gluten desde 2020 y el 13 de mayo de 2025 compró una cafetera por 25 euros.',
    ],
    [
      'ru',
      ['Вчера я купил билет за 3200 рублей.', 'Я люблю рыбалку и работаю на заводе.'],
      'Пользователь любит рыбалку и работает на заводе; 13 мая 2025 года купил билет за 3200 рублей.',
    ],
    [
      'ja',
      ['昨日、新しい自転車を買った。', 'ユーザーは牛乳が飲めない。'],
      '2025年5月13日に新しい自転車を買った。牛乳が飲めない。',
    ],
    [
      'zh',
      ['我昨天买了一辆自行车。', '用户说他对花生过敏。'],
      '用户对花生过敏，2025年5月13日买了一辆自行车。',
    ],
  ])('%s', (_code, sources, summary) => {
    expect(covered(sources, summary)).toBe(sources.length);
  });

  it.each([
    [
      'a date resolved wrongly',
      ['Вчера я купил билет за 3200 рублей.', 'Я люблю рыбалку и работаю на заводе.'],
      'Пользователь любит рыбалку и работает на заводе; 14 мая 2025 года купил билет за 3200 рублей.',
    ],
    [
      'a relative date left standing',
      ['Вчера я купил билет за 3200 рублей.', 'Я люблю рыбалку и работаю на заводе.'],
      'Пользователь любит рыбалку и работает на заводе; вчера купил билет за 3200 рублей.',
    ],
    [
      'a past that became a present',
      ["L'utilisateur était infirmier à Brest.", "L'utilisateur joue du violon dans un quatuor."],
      "L'utilisateur est infirmier à Brest et joue du violon dans un quatuor.",
    ],
    [
      'one son for another',
      [
        'Der Nutzer kocht für seine Söhne Emre, Can und Levent.',
        'Levent, der jüngste Sohn, verträgt keine Milch; Emre und Can haben keine Unverträglichkeiten.',
      ],
      'Der Nutzer kocht für seine Söhne Emre, Can und Levent; Emre, der jüngste Sohn, verträgt keine Milch, Levent und Can haben keine Unverträglichkeiten.',
    ],
    [
      'a way back for a way there',
      ['Flug nach Lissabon am 12. Juni ab Frankfurt.', 'Der Nutzer nimmt nur Handgepäck mit.'],
      'Flug nach Frankfurt am 12. Juni ab Lissabon, der Nutzer nimmt nur Handgepäck mit.',
    ],
    [
      'who said it',
      ['Die Schwester sagte, der Keller sei feucht.', 'Der Nutzer wohnt in Kassel.'],
      'Der Nutzer wohnt in Kassel; der Keller sei feucht.',
    ],
  ])('refuses %s', (_what, sources, summary) => {
    expect(covered(sources, summary)).toBeLessThan(sources.length);
  });
});
