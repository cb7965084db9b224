import { inventedIn } from '../gate/compare.ts';
import { type Profile, readProfile } from '../reading/profile.ts';

/**
 * How an answer names the two sides of a conversation and begins a sentence about two memories, as its rules ask, in common languages.
 * A capital on one of these is no name.
 */
const FRAME = readProfile(`
  nutzer nutzers nutzerin benutzer benutzers benutzerin anwender assistent assistenten assistentin beide beides
  utilisateur utilisatrice l'utilisateur l'utilisatrice assistante l'assistant l'assistante tous toutes
  usuario usuaria asistente ambos ambas usuário usuária assistente utente l'utente l'assistente entrambi entrambe
  gebruiker assistente użytkownik użytkowniczka asystent asystentka oba obie obydwa
  пользователь пользователя ассистент помощник оба обе kullanıcı asistan ikisi
`);

/** Whether a text holds no hard atom (name, number, date, negation ...) that none of the sources has. */
export function isGrounded(text: string, sources: Profile[]): boolean {
  return inventedIn(readProfile(text), [FRAME, ...sources]).length === 0;
}
