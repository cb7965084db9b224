import { LANGUAGES } from './languages/all.ts';
import { words } from './languages/language.ts';
import { sureLanguage } from './languages/sure.ts';
import { resolveRelativeDates } from './relative-dates.ts';

/** Words that mean a time near the one of saying, and that no rule resolves. */
const NEAR_NOW: Readonly<Record<string, string>> = {
  en: 'now just recently lately soon earlier currently shortly already again nowadays presently tonight ago yet',
  de: 'jetzt gerade eben kürzlich neulich bald vorhin derzeit aktuell heuer momentan nun wieder schon zuletzt heut morgens',
  fr: 'maintenant récemment bientôt actuellement tantôt déjà encore dernièrement naguère',
  es: 'ahora recién recientemente pronto actualmente ahorita ya últimamente otra',
  it: 'ora adesso recentemente presto attualmente appena già stamattina stamani stasera stanotte ultimamente poco',
  pt: 'agora recentemente breve atualmente logo já ultimamente anteontem outra',
  nl: 'nu net onlangs binnenkort straks zojuist daarnet pas laatst recent recentelijk weer al vanavond vanmorgen vanmiddag vannacht',
};
/** Days near the one of saying in languages without a table. A text of one of the other languages hardly has such a word. */
const ELSEWHERE = words(`
  idag igår imorgon förrgår övermorgon ikväll imorse inatt nyligen häromdagen dagen
  dag går morgen aften kveld morges natt nylig siden forgårs overmorgen iaften imorges idag igår imorgen
  dnes dneska včera zítra předevčírem pozítří nedávno včeraj zajtra danes jutri danas jučer sutra prekjučer juče nedavno
  tänään eilen huomenna toissapäivänä ylihuomenna äskettäin sitten täna homme üleeile
  tegnap holnap tegnapelőtt holnapután nemrég
  wczoraj jutro dzisiaj dziś przedwczoraj pojutrze niedawno temu
  dün bugün yarın önce evvelsi
  azi ieri mâine maine alaltăieri poimâine recent
  šodien vakar rīt rītdien aizvakar šiandien rytoj užvakar
  hodiaŭ hieraŭ morgaŭ avui ahir demà hoxe onte mañá hai dous dúas gaur atzo bihar
  vandag gister môre heddiw ddoe yfory inniu inné amárach
  kemarin besok tadi lusa nanti hôm mai qua nay ngayon kahapon bukas jana kesho
  sot dje nesër í
`);
/** Hours and minutes from now and before, which are no days. */
const HOURS: Readonly<Record<string, RegExp>> = {
  en: /\bin \S+ (?:\S+ )?(?:hours?|minutes?|mins?|hrs?|seconds?)\b/u,
  de: /\b(?:in|vor) \S+ (?:\S+ )?(?:stunden?|minuten?|sekunden?|std|min)\b/u,
  fr: /\b(?:dans|y a) \S+ (?:\S+ )?(?:heures?|minutes?|secondes?)\b/u,
  es: /\b(?:en|dentro de|hace) \S+ (?:\S+ )?(?:horas?|minutos?|segundos?)\b/u,
  it: /\b(?:tra|fra) \S+ (?:\S+ )?(?:or[ae]|minut[oi]|second[oi])\b|\b(?:or[ae]|minut[oi]) fa\b/u,
  pt: /(?:\bem|\bdentro de|\bdaqui a|há) \S+ (?:\S+ )?(?:horas?|minutos?|segundos?)\b/u,
  nl: /\bover \S+ (?:\S+ )?(?:uur|uren|minuten|minuut|seconden)\b|\b(?:uur|minuten|minuut) geleden\b/u,
};
const WORDS = /[\p{L}\p{M}]+/gu;
/** A longer text is an account of something rather than a fact. */
const MAX_CHARS = 2_000;
/** Any day will do: only whether something depends on it is asked. */
const SOME_DAY = '2025-03-12';
const NEAR = new Map(Object.entries(NEAR_NOW).map(([code, list]) => [code, words(list)]));

/**
 * Whether a text says the same on whatever day it is said: surely in a language with a table, and without a day, a week or another time that
 * depends on the day, in whatever language. When in doubt it is not, and neither is a text of more than 2,000 characters.
 */
export function isLasting(text: string): boolean {
  if (text.length > MAX_CHARS) return false;
  const language = sureLanguage(text);
  if (language === null) return false; // guard: lasting-language
  const near = NEAR.get(language.code)!;
  for (const [written] of text.normalize('NFC').matchAll(WORDS)) {
    const word = written.toLowerCase();
    if (near.has(word) || ELSEWHERE.has(word)) return false;
  }
  if (HOURS[language.code]!.test(text.toLowerCase())) return false;
  // A text may hold a word of another language.
  return LANGUAGES.every(({ code }) => {
    const resolved = resolveRelativeDates(text, SOME_DAY, code);
    return resolved.text === text && resolved.unresolved.length === 0;
  });
}
