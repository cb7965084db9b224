import { type Language, words } from './languages/language.ts';
import type { Word } from './relative-rules.ts';

/** "há doze anos" is twelve years ago after a verb of the past, and for twelve years after one of the present. */
const OPENINGS = new Map([
  ['pt', 'há'],
  ['es', 'hace'],
]);
/** Verbs of the present, in the persons of a note, that tell of something that goes on. */
const GOING_ON = new Map([
  [
    'pt',
    words(
      'toca toco trabalha trabalho mora moro vive vivo estuda estudo joga jogo pratica pratico é sou está estou tem tenho usa uso fala falo ensina ensino treina treino corre corro faz faço dança danço canta canto nada namora namoro conhece conheço dirige dirijo fuma fumo toma tomo pinta pinto',
    ),
  ],
  [
    'es',
    words(
      'toca toco trabaja trabajo vive vivo estudia estudio juega juego practica practico es soy está estoy tiene tengo usa uso habla hablo enseña enseño entrena entreno corre corro hace hago baila bailo canta canto nada nado conoce conozco conduce conduzco fuma fumo toma tomo pinta pinto lleva llevo',
    ),
  ],
]);
const LOOKED_BACK = 7;

/** Whether the verb before a time that has passed is one of the present: then it is how long something has gone on. */
export function isStillGoingOn(spoken: readonly Word[], at: number, language: Language): boolean {
  const first = spoken[at]!;
  const verbs = GOING_ON.get(language.code);
  if (!verbs || first.folded !== OPENINGS.get(language.code) || first.opens) return false;
  for (let index = at - 1; index >= 0 && index >= at - LOOKED_BACK; index -= 1) {
    if (verbs.has(spoken[index]!.folded)) return true;
    if (spoken[index]!.opens) return false;
  }
  return false;
}
