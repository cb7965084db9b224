import { describe, expect, it } from 'vitest';
import type { Candidate } from '../memory.ts';
import { plainSpelling } from './foreign-spelling.ts';
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

function passes(sources: readonly string[], summary: string): boolean {
  const members = sources.map(memberOf);
  const claimed = members.map((_, index) => index + 1);
  const verdict = checkGate({ members, relations: [] }, summary, claimed, {
    latestCount: 1e6,
    alreadySuperseded: 0,
  });
  return verdict.ok && verdict.coveredIds.length === members.length;
}

describe('one spelling', () => {
  it.each([
    ['fr', 'le jeudi à 18 h 15', 'le jeudi à 18:15'],
    ['fr', 'une séance de 2 h 30 min', 'une séance de 2 h 30 min'],
    ['pt', 'às 9h30', 'às 09:30'],
    ['es', 'a las 5 de la tarde', 'a las 17:00'],
    ['es', 'a las 8.15 h', 'a las 08:15'],
    ['it', 'alle due del pomeriggio', 'alle 14:00'],
    ['it', 'alle 10 persone', 'alle 10 persone'],
    ['de', 'um halb acht abends', 'um 19:30'],
    ['de', 'um halb acht', 'um halb acht'],
    ['de', 'im 2. Stock', 'im 2nd Stock'],
    ['de', 'am 2. Mai', 'am 2. Mai'],
    ['es', 'el 3/8/2025', 'el 2025-08-03'],
    ['pt', '40 mil reais', '40 mil reais'],
    ['zh', '六十八岁', '68岁'],
    ['zh', '周一去办公室', '周一去办公室'],
    ['ja', '毎週火曜日', '毎週火曜'],
  ])('%s: %s', (code, written, plain) => {
    expect(plainSpelling(written, code)).toBe(plain);
  });
});

describe('the same in other words', () => {
  it.each([
    [
      'Der Nutzer joggt, weil er schlecht schläft.',
      'Der Nutzer wohnt in Kassel; er schläft schlecht, deshalb joggt er.',
    ],
    [
      'Der Nutzer läuft von Montag bis Freitag.',
      'Der Nutzer wohnt in Kassel und läuft montags bis freitags.',
    ],
    [
      'Die Chefin hat eine Fortbildung genehmigt.',
      'Der Nutzer wohnt in Kassel; die Chefin genehmigte eine Fortbildung.',
    ],
    [
      'Die Tochter geht in die erste Klasse.',
      'Der Nutzer wohnt in Kassel; die Tochter geht in die 1. Klasse.',
    ],
    [
      'Der Nutzer plant Ausflüge und übernimmt das Notensortieren.',
      'Der Nutzer wohnt in Kassel, plant Ausflüge und übernimmt das Sortieren der Noten.',
    ],
  ])('de: %s', (source, summary) => {
    expect(passes([source, 'Der Nutzer wohnt in Kassel.'], summary)).toBe(true);
  });

  it.each([
    ['El usuario corre porque duerme mal.', 'El usuario vive en Madrid; duerme mal, por eso corre.'],
    ['La reunión es a las 5 de la tarde.', 'El usuario vive en Madrid y la reunión es a las 17:00.'],
    [
      'El usuario se prepara para un maratón de 10 kilómetros.',
      'El usuario vive en Madrid preparándose para un maratón de 10 km.',
    ],
  ])('es: %s', (source, summary) => {
    expect(passes([source, 'El usuario vive en Madrid.'], summary)).toBe(true);
  });

  it.each([
    [
      'fr',
      ["L'utilisateur ne travaille jamais le mercredi.", "L'utilisateur habite Lyon."],
      "L'utilisateur habite Lyon et ne travaille jamais les mercredis.",
    ],
    [
      'tr',
      ["Kullanıcı trenle Ankara'dan İzmir'e gidiyor.", 'Kullanıcının bir köpeği var.'],
      "Kullanıcı trenle Ankara'dan İzmir'e gidiyor, bir köpeği var.",
    ],
    ['zh', ['父亲六十八岁。', '母亲七十二岁。'], '父亲68岁，母亲72岁。'],
  ])('%s', (_code, sources, summary) => {
    expect(passes(sources, summary)).toBe(true);
  });
});

describe('what comes near it and is false', () => {
  it.each([
    [
      'a reason turned',
      ['Der Nutzer joggt, weil er schlecht schläft.', 'Der Nutzer wohnt in Kassel.'],
      'Der Nutzer wohnt in Kassel; er joggt, deshalb schläft er schlecht.',
    ],
    [
      'a condition added',
      ['Der Nutzer kauft das Auto.', 'Der Nutzer wohnt in Kassel und arbeitet viel.'],
      'Der Nutzer wohnt in Kassel und kauft das Auto, wenn er viel arbeitet.',
    ],
    [
      'numbers exchanged',
      ['Копии каждые 12 часов.', 'Копии хранятся 30 дней, потом удаляются.'],
      'Копии каждые 30 часов хранятся 12 дней, потом удаляются.',
    ],
    [
      'numbers exchanged',
      ['Le stage dure 12 semaines et compte 30 élèves.', 'Le stage est cher.'],
      'Le stage cher dure 30 semaines et compte 12 élèves.',
    ],
    [
      'who is denied',
      ['Användaren bor i Umeå med sin sambo Elin.', 'Elin är laktosintolerant, men inte användaren.'],
      'Användaren bor i Umeå med sin sambo Elin; användaren är laktosintolerant, men inte Elin.',
    ],
    [
      'day and month exchanged',
      ['Rendez-vous chez le dentiste le 3 mai 2025.', 'Le chat est malade.'],
      'Le chat est malade, rendez-vous chez le dentiste le 05/03/2025.',
    ],
    [
      'the half of the day',
      ['La reunión es a las 5 de la tarde.', 'La usuaria vive en Vigo.'],
      'La usuaria vive en Vigo y la reunión es a las 5:00.',
    ],
    [
      'a past for a present',
      ['El usuario estaba montando una tienda.', 'El usuario vive en Madrid.'],
      'El usuario vive en Madrid y monta una tienda.',
    ],
    [
      'a past for a present',
      ['Der Nutzer hat ein Auto gekauft.', 'Der Nutzer wohnt in Kassel.'],
      'Der Nutzer wohnt in Kassel und kauft ein Auto.',
    ],
    [
      'only for not',
      ["L'utilisateur ne mange que du poisson.", "L'utilisateur habite Lyon."],
      "L'utilisateur habite Lyon et ne mange pas de poisson.",
    ],
    [
      'a denial that moved',
      ["L'utilisateur ne fume pas et boit du vin.", "L'utilisateur habite Lyon."],
      "L'utilisateur habite Lyon, fume et ne boit pas de vin.",
    ],
    [
      'who gave whom',
      ['Der Trainer hat mir das Rad verkauft.', 'Der Nutzer wohnt in Kassel.'],
      'Der Nutzer wohnt in Kassel und hat dem Trainer das Rad verkauft.',
    ],
    [
      'who gave whom',
      ['Брат продал мне велосипед.', 'Я живу в Казани.'],
      'Я живу в Казани и продал брату велосипед.',
    ],
    [
      'who hit whom',
      ['Gisteren is mijn bus aangereden door een bestelwagen.', 'Ik woon in Gouda.'],
      'Ik woon in Gouda; op 13 mei 2025 heeft mijn bus een bestelwagen aangereden.',
    ],
    [
      'from where',
      ["Kullanıcı trenle Ankara'dan İzmir'e gidiyor.", 'Kullanıcının bir köpeği var.'],
      "Kullanıcı trenle İzmir'den Ankara'ya gidiyor, bir köpeği var.",
    ],
    [
      'from where',
      ['用户坐火车从上海到北京出差。', '用户养了一只狗。'],
      '用户坐火车从北京到上海出差，养了一只狗。',
    ],
    [
      'what is denied',
      ['Kullanıcı uçakla değil trenle gidiyor.', 'Kullanıcının bir köpeği var.'],
      'Kullanıcı trenle değil uçakla gidiyor, bir köpeği var.',
    ],
    [
      'ordinals exchanged',
      ['Die Tochter geht in die 2. Klasse.', 'Der Sohn geht in die 4. Klasse.'],
      'Die Tochter geht in die vierte Klasse, der Sohn in die zweite Klasse.',
    ],
  ])('refuses %s', (_what, sources, summary) => {
    expect(passes(sources, summary)).toBe(false);
  });
});
