import { fold, isUnspaced } from './tokens.ts';

/** What stands at the head of a clause and need not be repeated in the next one about the same. */
export interface Subject {
  /** Equal for the same subject in other spelling ("User", "The user"). */
  key: string;
  /** As written, with the space that follows it. */
  prefix: string;
}

/** How notes call the person they are about, where that is no name, in languages whose verbs are not listed below. */
const USER_WORDS =
  /^(?:I |der nutzer |die nutzerin |der benutzer |l[’']utilisateur(?:rice)? |el usuario |la usuaria |o usuário |l[’']utente |de gebruiker |пользователь(?:ница)? |المستخدم(?:ة)? |사용자(?:는|가) |用户|用戶|使用者|ユーザーは)/iu;

/** Japanese marks its topic; nothing else in a script without spaces says where a name ends. */
const TOPIC = /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー・]{1,12}?は/u;

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** After these words the subject is not over, or what follows depends on it. */
const CONNECTORS = listed(`
  and or & nor but of from in at on with who whom whose which that to by for as the a an than like near und oder aus von vom mit der
  die das den et ou de du des avec qui à y o e con del di da и или с со из от который which's en op van met`);

/** Openings that are no subject: they limit, deny or point. */
const NOT_A_SUBJECT = listed(`
  she he it they we you this that these those there here her his their its who what when where why how if unless although because
  while since after before until once during on in at by for from with without about not no never none neither nor only maybe
  perhaps sometimes usually often always every each all both some many most few another yesterday today tomorrow also and but or
  so then however er sie es wir ihr wenn falls nicht kein keine nie nur il elle ils elles ce cela si ne pas jamais ella ellos eso
  esto no nunca он она оно они это если не нет никогда don't doesn't didn't can't won't isn't wasn't`);

/** Verbs that take their object at once: a note may leave its subject out and open with one. */
const OPENING_VERBS = listed(`
  likes loves prefers enjoys hates dislikes wants needs owns uses plays speaks avoids drinks eats reads has keeps collects visits
  watches studies learns teaches knows`);

/** Words that show that what stands before them is a subject; a capital at the head of a sentence shows nothing. */
const VERBS = listed(`
  is was has had does did can could will would should may might must isn't wasn't hasn't doesn't didn't can't won't never always
  often usually sometimes rarely still now also no currently recently
  accepted accepts achieved adopted agreed agrees aims applied applies arrived arrives asked asks attended attends ate avoided avoids
  baked bakes became becomes began begins believed believes belongs bikes booked borrowed bought brings broke brought builds built
  buys called calls came carried carries celebrated celebrates checks chose closes coaches collected collects comes completed
  considered considers cooked cooks costs created cuts cycles danced dances decided deployed disliked dislikes donated drank draws
  drew drinks drives drove earns eats enjoyed enjoys expects failed fears feels fell felt finds finished finishes flew flies follows
  forgets forgot found gave gets gives goes got graduated grew grows hated hates hears heard helped helps hikes hiked hired hires
  holds hoped hopes hosts hurt invested joined joins keeps kept knew knits knows learned learns leaves led leads lent listened listens
  liked likes lived lives loses lost loved loves made maintains makes managed manages married meditates meets mentioned mentors met
  missed misses moved moves needed needs offered opens ordered orders organised organises organized organizes ordered owes owned owns
  paid paints painted passed pays photographs planned plans planted played plays practices practises practiced practised prefers
  preferred presented promised proposed quit ran read reads received recommended recommends recovered refuses rehearses relies
  remembers rented rents replaced requested returned returns rides rode runs said sails sang saved saw says scheduled sees sells sent
  served serves shares signed sings skis slept sleeps smoked smokes sold speaks spends spent spoke started starts stayed stays stopped
  stops studied studies subscribed subscribes suffers supports swam swims switched switches takes talked talks taught teaches tells
  thinks thought told took trained trains travelled traveled travels tried tries turned uses used visited visits volunteers waits
  commutes commuted waters watered edits edited grinds ground performs performed
  wakes walked walks wanted wants watched watches wears went woke won wore worked works worries writes wrote
  ist war hat hatte kann will mag möchte wohnt arbeitet trinkt isst spielt fährt liest lebt liebt lernt bestellt kauft geht reist
  est était a avait aime travaille habite préfère joue boit mange veut vit va parle apprend
  es era está tiene tenía vive trabaja prefiere juega bebe come quiere habla estudia va viaja
  è ha lavora ama preferisce gioca beve mangia vuole tem mora gosta trabalha bebe`);
/** Endings of the third person and of the past in Russian and its neighbours. */
const CYRILLIC_VERB =
  /^(?:не|[\p{Script=Cyrillic}]{2,}(?:ет|ёт|ит|ют|ят|ал|ял|ил|ел|ёл|ла|ло|ли|тся|лся|лась))$/u;

const CAPITALISED = /^(?:\p{Lu}[\p{L}\p{M}'’-]*|(?:Dr|Mr|Mrs|Ms|Prof)\.)$/u;
const LOWER = /^\p{Ll}/u;
const DETERMINER = listed('the my our der die das le la el los il o');

function startsPredicate(word: string | undefined): boolean {
  return word !== undefined && LOWER.test(word) && !CONNECTORS.has(fold(word));
}

function isVerb(word: string | undefined): boolean {
  if (!startsPredicate(word)) return false;
  return VERBS.has(word?.replace(/’/g, "'") ?? '') || CYRILLIC_VERB.test(word ?? '');
}

function withWords(words: string[], count: number): Subject {
  const text = words.slice(0, count).join(' ');
  return { key: fold(text), prefix: `${text} ` };
}

function userSubject(text: string): Subject | null {
  const prefix = USER_WORDS.exec(text)?.[0];
  if (prefix === undefined) return null;
  const next = text.slice(prefix.length).split(' ', 1)[0] ?? '';
  const predicate = isUnspaced(next)
    ? // A particle of possession or an "and" makes another subject of it.
      !/^[的のと和]/u.test(next)
    : next !== '' && !/^\p{Lu}/u.test(next) && !CONNECTORS.has(fold(next));
  return predicate ? { key: fold(prefix).trim(), prefix } : null;
}

/** Names, "the user", "the dog", "Mara's sister": each only before a verb that is known, or it may be half of something longer. */
function wordSubject(words: string[]): Subject | null {
  const first = words[0] ?? '';
  if (/^user$/i.test(first) || (/^(?:the|this)$/i.test(first) && words[1] === 'user')) {
    const count = /^user$/i.test(first) ? 1 : 2;
    return isVerb(words[count]) ? { key: 'user', prefix: `${words.slice(0, count).join(' ')} ` } : null;
  }
  if (OPENING_VERBS.has(first.toLowerCase()) && /^\p{L}/u.test(words[1] ?? '')) {
    return CONNECTORS.has(fold(words[1] ?? '')) ? null : withWords(words, 1);
  }
  let count = 0;
  while (CAPITALISED.test(words[count] ?? '')) count += 1;
  const last = words[count - 1];
  if (last === undefined) return null;
  const takesNoun = /['’]s$/.test(last) || (count === 1 && DETERMINER.has(fold(last)));
  const end = takesNoun ? count + 1 : count;
  if (takesNoun && !LOWER.test(words[count] ?? '')) return null;
  return isVerb(words[end]) ? withWords(words, end) : null;
}

/**
 * The subject of a clause, or null in doubt: the words in front are then kept as they stand.
 * Names are never split: "Mara Lind" and "Mara Holm" are two subjects, "Mara and Tom" is none.
 */
export function subjectOf(text: string): Subject | null {
  const user = userSubject(text);
  if (user) return user;
  const topic = TOPIC.exec(text)?.[0];
  if (topic !== undefined) return { key: topic, prefix: topic };
  const words = text.split(' ');
  if (words.length < 2 || NOT_A_SUBJECT.has(fold(words[0] ?? ''))) return null;
  return wordSubject(words);
}
