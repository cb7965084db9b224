import type { Language } from '../reading/languages/language.ts';
import { wordList } from './lexicon/word-list.ts';

/** "l'assurance", "n'aime", "dell'anno": what is elided is a word of its own. */
export function splitElision(word: string): string[] {
  const mark = word.indexOf("'");
  return mark > 0 && mark <= 5 && mark < word.length - 1
    ? [word.slice(0, mark), word.slice(mark + 1)]
    : [word];
}

/** Stop words of languages that have no table; where one has, its own come first. */
const MORE_STOPS = new Map<string, Set<string>>(
  Object.entries({
    de: 'entlang zwar sondern wobei wo woran worin damit sodass jeweils jetzt nun daran darauf darin dort hier bleibt gehört ihnen diesen solche solcher sowohl bzw beziehungsweise inzwischen habe hast habt hätte betrug betragen betrugen nennt genannt name namen namens seins ihrs meins wir uns eigenen eigene eigener übrigens beträgt bitte sowie außerdem zudem heißt heißen namens nutzerin user dabei dazu davon darunter welche welcher welches deren dessen beide beiden beim sind',
    fr: "suis sommes êtes me te eux lesquels laquelle lequel soit aura auront sera seront là ici afin tandis alors ayant étant ai as avons avez avais nom prénom moi toi celui celle ceux celles comme notre nos votre vos font se ainsi également nommé nommée appelle s'appelle utilisateur utilisatrice qu ce cette ces dont où elle il y dans chez l d j n s c m t lui leur y",
    es: 'soy eres somos estoy estás estamos están me te nos ello sino aunque mientras así cual cuales ellas sido siendo dicho dicha llamé llamó llamaron nombre nuestro nuestra nuestros nuestras mío mía suyo suya aquel aquella quienes cuyos cuyas allí allá ahí además también llamado llamada llama llaman usuario usuaria cuyo cuya cual quien donde tanto ambos ambas está ello lo tiene tener tengo',
    it: 'sono sto stai sta stiamo stanno sia mentre poi così ecco loro essi esse viene vengono stato stata stati state ce essendo abbiamo avete me te nome quel quei quegli nostro nostra nostri nostre dall dagli dalle nei all sull mi gli le quello quella quelli quelle ne inoltre anche chiamato chiamata chiama utente quale cui dove entrambi l d ha hanno ho è nell all dell dall sull un',
    pt: 'sou estou estamos estão somos lo la los las lhe lhes sendo embora enquanto então isso ali lá ainda deles esteja aqui qual nome dele dela deles delas nosso nossa nossos nossas aquele aquela quem dum duma minhas além também chamado chamada chama utilizador utilizadora usuário usuária qual cujo cuja onde ambos tem têm tenho no na nos nas num numa ao aos à às pelo pela',
    nl: 'is zijn ben bent wordt worden er daar waarbij waarin waarop dan nu toen hier zo we wij ze zij hij om te waarvan aan naam genaamd genoemd deze dit dat hem haar hun onze ons zichzelf graag ook bovendien genaamd heet gebruiker wie die waar beide heeft hebben heb de het een en van',
    pl: 'jako tam tutaj której którego którym gdzie żeby aby niej niego jemu mną nam nami ale więc natomiast czyli imię nazywa nazywają mojego mojej moim moich moją moimi swój swoja swoje swojego swojej swoim swoją swoich nasz nasza nasze naszego naszej ich mu mnie mi ją go nim nią nich im jestem są był roku r on ona ono oni one my mówi mówił że w na z ze do i oraz a o od po za się jest są ma mam mają użytkownik użytkowniczka użytkownika który która które też także jego jej ich mój moja moje dla przy u to ten ta',
    sv: 'men då där här vilket vilken vilka samt också dock blir per man sig namn namnet vi oss vår våra vårt de dem deras dess denna detta den det  hon han en ett den det de och i på av för med till från som är var har hade hen han hon jag vi du användaren användarens sin sitt sina hans hennes min mitt mina också samt heter om att hos vid',
    ru: 'там тут здесь туда где но однако чтобы этом том тем том которым котором которую которых мне мной нами вы вас моего моей моему моим моих моею моими моём моем своих своим своими свою своём своем наш наша наше наши нашего нашей нашу нас нам ими его неё имя года году  г этот эта это эти этого этой является являются находится неё ней нему ним них ему ей им и а в во на с со к ко у о об от по за из для это он она оно они его её ее их мой моя моё мое мои меня мне я мы нас свой своя свои своего своей который которая которые которого которой также тоже пользователь пользователя пользователю пользователем пользовательница зовут есть был была были что как уже при',
    tr: 'bunun bunu buna şimdi orada burada ancak fakat ama olduğu olan ise benim bana beni ona onu onun kendi kendisi kendisinin adı ismi ismini adını yılında yılı ise olarak bulunuyor var ve ile bir bu şu o da de ta te kullanıcı kullanıcının kullanıcısı benim onun ben adlı adında isimli olan için ayrıca hem var',
    hi: 'मुझे उसे उन्हें उन्होंने मैंने उसने हम हमारा हमारी हमारे उनका उनकी उनके इस उस यहाँ वहाँ हुआ हुई हुए होता होती होते है हैं था थी थे का की के को में से पर और एक वह वे यह ये मैं मेरा मेरी मेरे उसका उसकी उसके उपयोगकर्ता भी ने कि जो हूँ अपने अपनी अपना तथा रहता रहती नाम',
    ar: 'اسمه اسمها اسمي اسم ولديه ولديها ولها وله وهي عند عنده عندها عندي لي هناك قد عام سنة وهو وهي و في من إلى على عن مع هو هي أنا له لها لدي لديه لديها المستخدم مستخدم المستخدمة كما أن التي الذي هذا هذه كان كانت يوم',
    ko: '이름 이름은 제가 내가 그의 그녀의 우리 저의 나의 년 그리고 사용자 사용자는 사용자의 그 그는 그녀는 나 나는 내 저 저는 제 있다 있고 있으며 있습니다 있음 이다 입니다 그리고 또한 및',
  }).map(([code, words]) => [code, wordList(words)]),
);

export function isForeignStop(word: string, language: Language | null, code: string): boolean {
  if (MORE_STOPS.get(code)?.has(word)) return true;
  return language?.stopWords.has(word) ?? false;
}

/** Negators of languages without a table. */
const MORE_NEGATORS = wordList(`
  nie nigdy nikt nic żaden żadna żadne bez inte aldrig ingen inget inga utan ej не нет никогда ничего никто нельзя без ни
  değil yok hiç asla hayır لا لم لن ليس ليست بدون غير नहीं मत न बिना 안 못
`);
/** An elided "ne". */
MORE_NEGATORS.add('n');
/** Parts of a word that negate: Turkish and Korean put them inside. */
const NEGATING_PARTS = new Map<string, RegExp>([
  ['tr', /(?:m[ıiuü]yor|maz|mez|m[ae]d[ıi]|mıyor|s[ıiuü]z$|mayan|meyen|amıyor|emiyor)/u],
  ['ko', /(?:않|없|못|아니)/u],
]);

/** A word that does nothing but deny. */
export function isPlainNegator(word: string): boolean {
  return MORE_NEGATORS.has(word);
}

export function isForeignNegator(word: string, language: Language | null, code: string): boolean {
  if (language?.negators.has(word) || MORE_NEGATORS.has(word)) return true;
  return NEGATING_PARTS.get(code)?.test(word) ?? false;
}

/** Words that limit or weaken a statement, by class; the rest of a language's words of this kind stay plain content words. */
const OPERATORS = new Map<string, string>();
for (const line of [
  'might vielleicht möglicherweise könnte könnten eventuell peut-être pourrait pourrais pourraient quizás quizá podría podrían forse potrebbe potrei talvez poderia poderiam pode posso podem misschien mogelijk kanske może возможно может belki olabilir',
  'probably wahrscheinlich vermutlich probablement probablemente probabilmente provavelmente waarschijnlijk troligen prawdopodobnie вероятно muhtemelen galiba',
  'only nur ausschließlich seulement uniquement solo sólo solamente soltanto apenas somente alleen enkel slechts bara endast tylko только sadece yalnızca केवल सिर्फ فقط',
  'usedto früher ehemals ehemalig ehemalige autrefois antes antiguo antigua anteriormente precedentemente vroeger tidigare dawniej раньше eskiden',
  'always immer toujours siempre sempre altijd alltid zawsze всегда hep हमेशा دائما',
  'often oft häufig souvent spesso vaak ofta często часто sık sıkça अक्सर غالبا',
  'sometimes manchmal gelegentlich parfois quelquefois veces talvolta soms ibland czasami иногда bazen أحيانا',
  'rarely selten rarement raramente zelden sällan rzadko редко nadiren نادرا',
  'almost fast beinahe presque casi quasi quase bijna nästan prawie почти neredeyse लगभग تقريبا',
  'atleast mindestens wenigstens minstens minst przynajmniej минимум',
  'all alle alles tous toutes tout todos todas todo tutti tutte tutto alla allt wszystkie wszystko все всё bütün hepsi सभी सब كل',
  'some einige manche quelques certains algunos algunas alcuni alcune alguns algumas sommige enkele några niektóre некоторые bazı कुछ بعض',
  'since seit depuis desde dal dalla sinds sedan od beri منذ',
  'until bis jusqu jusque hasta fino até tot tills до kadar तक حتى',
  'before vor avant prima voor före przed перед önce पहले قبل',
  'after nach après después dopo depois na efter po после sonra बाद بعد',
  'than als que di dan än niż чем',
  'without ohne sans sin senza sem zonder utan bez без olmadan बिना بدون',
]) {
  const [name, ...words] = line.split(' ');
  for (const word of words) if (!OPERATORS.has(word)) OPERATORS.set(word, name!);
}
/** Words of the list above that are plain prepositions as often. */
const WEAK = wordList(
  'dal dalla vor nach als que di dan na po do od с до antes prima voor voor alla fast con',
);

export function foreignOperator(word: string): string | null {
  return WEAK.has(word) ? null : (OPERATORS.get(word) ?? null);
}

/** Words for the user, and for "I". */
const FOREIGN_USER = wordList(`
  ich je yo io eu ik jag ja я ben أنا मैं 저는 나는 저 나
`);
const USER_NOUN =
  /^(?:(?:be)?nutzer(?:in|s)?|users?|anwender(?:in|s)?|utilisateurs?|utilisatrice|usuari[oa]|usuário|usuária|utente|utilizador|utilizadora|gebruik(?:er|ers|ster)|användare(?:n|ns)?|użytkowni(?:k|ka|kowi|kiem|ku|czka|czki|czce|czkę|czką)|пользовател(?:ь|я|ю|ем|е|ьница|ьницы|ьнице|ьницу|ьницей)|kullanıcı(?:nın|ya|yı|dan|da|sı)?|(?:لل|ال|ل)?مستخدم(?:ة)?|उपयोगकर्ता|사용자(?:는|가|의|에게|를|도|와)?)$/u;

export function isForeignUser(word: string): boolean {
  return FOREIGN_USER.has(word) || USER_NOUN.test(word);
}

/** Verbs by which somebody tells something, and "according to": said of the user, they say nothing. */
const REPORTING = wordList(`
  sagt sagte sagten gesagt sage erzählt erzählte erwähnt erwähnte berichtet berichtete meint meinte laut zufolge
  dit disait dis raconté raconte mentionne mentionné indique indiqué précise précisé explique expliqué selon
  dice dijo dicho digo cuenta contó menciona mencionó comenta comentó indica indicó explica explicó según
  detto disse dico racconta raccontato menziona menzionato spiega spiegato riferisce secondo
  diz disse digo contou menciona mencionou comentou indicou explica explicou segundo
  zegt zei gezegd zeg vertelt vertelde verteld vermeldt vermeldde noemde volgens
  mówi powiedział powiedziała mówił mówiła wspomniał wspomniała wspomina według zdaniem
  säger sa sade sagt berättar berättade nämner nämnde enligt
  говорит сказал сказала говорил говорила упомянул упомянула сообщил сообщила рассказал рассказала словам
  söyledi söylüyor dedi diyor belirtti göre يقول قال قالت تقول ذكر ذكرت कहता कहती कहा बताया
`);

export function isReporting(word: string): boolean {
  return REPORTING.has(word);
}

/** "asks" of what the user does not want: what is asked says the same. */
const ASKING = wordList(
  'bittet bat demande demandé pide pidió chiede chiesto pede pediu vraagt vroeg prosi poprosił poprosiła ber bad просит просил просила попросил попросила rica',
);

export function isAsking(word: string): boolean {
  return ASKING.has(word);
}

/** What an amount says by itself where it stands: what something costs, that a code is a number. */
const AMOUNT_WORDS = wordList(`
  kostet kosten kostete nummer lautet coûte coûtent coûtait numéro cuesta cuestan costó número costa costano numero custa custam custou
  nummer kost kosten nummer kosztuje kosztują numer kostar nummer numret стоит стоят номер tutarı numarası رقم
  vaut vale valen valgono bedraagt wynosi wynoszą составляет составляют является uppgår
`);

export function isAmountWord(word: string): boolean {
  return AMOUNT_WORDS.has(word);
}

/** "will be": it may go where only a place or a time follows it. */
const FUTURE_COPULAS = wordList('sera seront será serán sarà saranno serão będzie będą будет будут');

export function isFutureCopula(word: string): boolean {
  return FUTURE_COPULAS.has(word);
}

/** "was" and "is", by language, and what may stand between them and what somebody is. */
const WAS = new Map(
  Object.entries({
    de: 'war waren',
    fr: 'était étaient',
    es: 'era eran',
    it: 'era erano',
    pt: 'era eram',
    nl: 'was waren',
    pl: 'był była byli było',
    sv: 'var',
    ru: 'был была были было',
  }).map(([code, words]) => [code, wordList(words)]),
);
const IS = new Map(
  Object.entries({
    de: 'ist bin sind',
    fr: 'est suis sont',
    es: 'es soy son',
    it: 'è sono',
    pt: 'é sou são',
    nl: 'is ben zijn',
    pl: 'jest jestem są',
    sv: 'är',
  }).map(([code, words]) => [code, wordList(words)]),
);
const ARTICLES = wordList(
  'ein eine un une una uno um uma een en ett der die das le la les el los las il lo o a os as de het sehr très muy molto muito erg mycket bardzo',
);

/** Whether a word says that something is or was; null when it does not. */
export function copulaTense(word: string, code: string): 'past' | 'present' | null {
  if (WAS.get(code)?.has(word)) return 'past';
  return IS.get(code)?.has(word) ? 'present' : null;
}

export function isForeignArticle(word: string): boolean {
  return ARTICLES.has(word);
}

/** Words that only colour what is said. */
const FILLERS = wordList(`
  schon eigentlich halt doch übrigens vraiment voilà pues realmente davvero insomma eigenlijk gewoon faktiskt właśnie przecież кстати вот
  aslında zaten
`);

export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}
