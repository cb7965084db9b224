import { describe, expect, it } from 'vitest';
import type { Candidate } from '../memory.ts';
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

/** Sources, a summary that says the same, and the nearest ones that do not. */
const CASES: readonly [string, string[], string, string[]][] = [
  [
    'a condition without its word',
    [
      'Wenn das Knie nicht besser wird, lässt sich die Nutzerin in Göttingen operieren.',
      'Die Nutzerin wohnt in Kassel.',
    ],
    'Die Nutzerin wohnt in Kassel. Wird das Knie nicht besser, lässt sie sich in Göttingen operieren.',
    ['Die Nutzerin wohnt in Kassel. Das Knie wird nicht besser, sie lässt sich in Göttingen operieren.'],
  ],
  [
    'a passive of the present',
    ['Der Chor probt dienstags im Gemeindehaus.', 'Der Nutzer singt im Chor.'],
    'Der Nutzer singt im Chor; geprobt wird dienstags im Gemeindehaus.',
    ['Der Nutzer singt im Chor; geprobt wurde dienstags im Gemeindehaus.'],
  ],
  [
    'a part of a hospital',
    [
      "Je suis infirmière à l'hôpital de Vannes, dans le service de cardiologie.",
      'Je ne travaille jamais le mercredi.',
    ],
    "Je suis infirmière en cardiologie à l'hôpital de Vannes et je ne travaille jamais le mercredi.",
    ["Je suis infirmière à l'hôpital de Vannes et je ne travaille jamais le mercredi."],
  ],
  [
    'a verb that only says that there is trouble',
    ['La furgoneta tiene un golpe, pero el motor no da problemas.', 'Vendo la furgoneta por 9.500 euros.'],
    'Vendo por 9500 € la furgoneta, con un golpe pero sin problemas de motor.',
    ['Vendo por 9500 € la furgoneta, sin golpe pero con problemas de motor.'],
  ],
  [
    'a denial of one side',
    [
      'Użytkownik nie sprzedaje miodu przez internet, tylko na targu w Sandomierzu.',
      'Użytkownik hoduje pszczoły pod Sandomierzem.',
    ],
    'Użytkownik hoduje pszczoły pod Sandomierzem, miód sprzedaje nie przez internet, tylko na targu w Sandomierzu.',
    [
      'Użytkownik hoduje pszczoły pod Sandomierzem, miód sprzedaje nie na targu w Sandomierzu, tylko przez internet.',
    ],
  ],
  [
    'what a remedy is against',
    ['Neurologen vill prova en medicin mot migrän.', 'Användaren har migrän två gånger i månaden.'],
    'Användaren har migrän två gånger i månaden, neurologen vill prova en medicin.',
    ['Användaren har migrän två gånger i månaden, neurologen vill inte prova en medicin.'],
  ],
  [
    'a noun in a Turkish case',
    ['Kullanıcının düğünü için pastayı ablası Seval ayarlayacak.', 'Kullanıcı düğüne 180 kişi davet etti.'],
    'Kullanıcı düğüne 180 kişi davet etti; pastayı ablası Seval ayarlayacak.',
    ['Kullanıcı düğüne 180 kişi davet etti; müziği ablası Seval ayarlayacak.'],
  ],
  [
    'a visit to somebody is no passive',
    ['La visita dal cardiologo è il 18 marzo 2026.', 'Il cardiologo si chiama dottor Ferrante.'],
    'La visita dal cardiologo, dottor Ferrante, è il 18 marzo 2026.',
    ['La visita dal cardiologo, dottor Ferrante, è il 19 marzo 2026.'],
  ],
  [
    'what is not wanted',
    ['El usuario quiere respuestas en español.', 'El usuario no quiere que se usen tablas.'],
    'El usuario quiere respuestas en español y no quiere tablas.',
    ['El usuario quiere tablas y no quiere respuestas en español.'],
  ],
];

const MORE: typeof CASES = [
  [
    'the end of the year',
    ['Quero trocar meu Gol por um carro elétrico até o fim do ano.', 'O síndico Valdir prometeu uma tomada.'],
    'Quero até o fim de 2025 trocar meu Gol por um carro elétrico; o síndico Valdir prometeu uma tomada.',
    ['Quero até o fim de 2026 trocar meu Gol por um carro elétrico; o síndico Valdir prometeu uma tomada.'],
  ],
  [
    'a month that is still to come',
    ['Mijn vader wil in januari schaatsen op de Weissensee.', 'Mijn vader woont in Deventer.'],
    'Mijn vader woont in Deventer en wil in januari 2026 schaatsen op de Weissensee.',
    ['Mijn vader woont in Deventer en wil in januari 2027 schaatsen op de Weissensee.'],
  ],
  [
    'a currency that is left out the second time',
    ['Vendo la furgoneta por 9.500 euros.', 'Por la furgoneta no acepto menos de 8.800 euros.'],
    'Vendo la furgoneta por 9.500 euros y no acepto menos de 8.800.',
    [
      'Vendo la furgoneta por 9.500 euros y no acepto menos de 8.800 dólares.',
      'Vendo la furgoneta por 8.800 euros y no acepto menos de 9.500.',
    ],
  ],
  [
    'what cannot be done, behind',
    ['Die Nutzerin kann nicht vom Blatt singen.', 'Die Nutzerin singt im Chor die zweite Stimme.'],
    'Die Nutzerin singt im Chor die zweite Stimme; vom Blatt singen kann sie nicht.',
    ['Die Nutzerin singt im Chor nicht die zweite Stimme; vom Blatt singen kann sie.'],
  ],
];

describe('grammar of other languages', () => {
  it.each([...CASES, ...MORE])('%s', (_name, sources, summary, wrong) => {
    expect(passes(sources, summary)).toBe(true);
    for (const one of wrong) expect(passes(sources, one)).toBe(false);
  });

  it('asks who was hit in a passive', () => {
    const sources = ["L'autobus è stato investito da un furgone.", "L'autobus è della linea 8."];
    expect(passes(sources, "Il furgone è stato investito dall'autobus della linea 8.")).toBe(false);
  });
});
