import { words } from './languages/language.ts';
import { stemOf } from './words.ts';

/**
 * Plain words, lower case. A capital on one of them at a sentence start is no name. A word that is missing here is taken for a guess of a name and compared as
 * a word all the same; the list only spares guesses.
 */

/** Base forms of verbs; compared by stem. */
export const COMMON_VERBS = words(`
  accept achieve add admire adopt agree aim allow answer appreciate arrive ask attend avoid bake become began begin believe book
  borrow bought bring brought build built buy call came cancel care carry celebrate change check choose chose clean climb collect
  come commute complete consider cook cycle dance decide describe design develop discover discuss dislike drink drive drove earn
  eat enjoy expect explain explore feed feel felt find finish fix focus follow forget found gave get give go got grew grow had
  handle has hate have hear heard help hire hold hope host improve invest is join keep kept knew know lead learn leave left like
  listen live look lose lost love made maintain make manage marry mean meet mention met move name need offer open order organise
  organize own paid paint pay plan play practice practise prefer prepare produce promise publish purchase quit ran read receive
  recommend refuse rely remember remind rent repair request require return ride run said save saw say schedule search see seem
  sell send sent serve share sign sing sleep sold speak spend spent spoke start stay stop store struggle study suffer suggest
  support swim switch take talk taught teach tell tend thank think thought told took track train translate travel tried trust try
  turn understand use value visit volunteer vote wait wake walk want was watch wear went were will win wish won wonder work worry
  write wrote adore can could may might must shall should would does do did
`);

/** English words that open sentences, and nouns and adjectives of everyday life. */
export const COMMON_ENGLISH = words(`
  after again all almost already always another anything around before between during early either enough even every everyone
  everything few finally first former formerly frequently generally good great however last late later least less likely long lots
  many maybe more most mostly much new next normally now often old once only originally our people perhaps please possibly
  previously probably quickly rarely recently regularly second several sometimes soon still thing third today together tomorrow
  tonight until usually yes yesterday yet how why birthday breakfast lunch dinner favorite favourite family friend home hobby job
  kid child children mother father mom mum dad parent brother sister wife husband son daughter partner colleague boss manager cat
  dog pet car house flat office meeting appointment project team work morning evening night week weekend month year day time
  allergic allergy vegetarian vegan married single born based interested planning diagnosed prescribed phone number address email
  password code
  able about above abroad absent accident account ache across active activity actor actual address adult advice afternoon age
  agreement air airline airport album alive alone aloud amazing amount ancient angry animal annual answer anxiety apart apartment
  app apple application approximately area arm army art article artist aside asleep assistant athlete attention aunt autumn
  available average awake award aware away awesome baby back bad bag bakery ball band bank bar base baseball basic basketball bath
  bathroom beach bean bear beautiful bed bedroom beef beer before behind below beneath beside besides best better beyond bicycle
  big bike bill bird bit black blood blue board boat body bone book bored bottle bottom box boy boyfriend brain branch brand bread
  break bridge brief bright broken brown brush budget bug building bus business busy butter button cable cake calendar camera camp
  cancer candidate card career careful carpet cash category cause ceiling cell center central centre century certain chair chance
  cheap check cheese chef chicken chief chocolate choice chronic church cinema citizen city class classic classical clean clear
  client climate clinic clock close cloth clothes cloud club coach coat code coffee cold college color colour comfort comfortable
  common community company complete complex computer concert condition conference confident contact content contract cook cookie
  cool copy corner correct cost country couple course court cousin cover cream credit crew crowd cup current currently custom
  customer cycling daily damage danger dangerous dark data database date daytime dead deal dear death debt decade decision deep
  default degree delicious delivery dentist department deposit depth desk detail device diabetes diet different difficult digital
  dinner direct direction director dirty disease dish distance district doctor document dollar door double downtown draft drama
  dream dress drink driver driving dry due duty eager early earth east easy economy education egg eight either electric elementary
  eleven else emergency emotional empty employee employer end energy engine engineer entire environment equal equipment error
  essay essential evening event everybody evidence exact exam example excellent except exciting exercise expensive experience
  expert extra extreme eye fabric face fact factory fair fall false famous fan far farm farmer fashion fast fat favor fear feature
  fee feedback feeling feet female fever field fifteen fifth fifty fight figure file film final finance financial fine finger fire
  firm fish fishing fit fitness five flag flat flight floor flower fluent fluently foggy folk food foot football force foreign
  forest fork form formal forty forward four fourth free freedom freelance fresh fridge front fruit full fun fund funny furniture
  further future game garage garden gas gate general gentle gift girl girlfriend glad glass global goal gold golf good government
  grade grand grandchild granddaughter grandfather grandma grandmother grandpa grandparent grandson grandchildren grass gray green
  grey grocery ground group guest guide guitar gym habit hair half hall hand handy happy hard head headache health healthy heart
  heat heavy height help high hiking hill history hobby hole holiday honest horse hospital hot hotel hour household housing huge
  human hundred hungry hurt husband ice idea ill illness image impact important inch income independent indoor industry info
  information injury inside instead insurance intense interest interesting internal international internet interview iron island
  issue item jacket jazz job joint journal journalist journey juice junior key keyboard kind king kitchen knee knife knowledge lab
  lack lady lake land landlord language laptop large latest laundry law lawyer lazy leader leather left leg legal length lesson
  letter level library license life light limit line list little living loan local location lock log loud lovely low lower loyal
  luck lucky luggage machine magazine mail main major male man management map marathon market marriage match material math
  mathematics matter maximum meal meaning meat media medical medication medicine medium member memory men mental menu message
  metal method middle migraine mile milk million mind minimum minor minute mirror missing mistake mix mobile model modern moment
  money monitor mood moon mostly motor mountain mouse mouth movie music musician name narrow nationality native natural nature
  near nearby nearly neck need negative neighbor neighbour neighborhood neither nephew nervous net network neutral news newspaper
  nice niece nine ninety noise normal north nose note notebook nothing notice novel nurse nut object occupation ocean odd office
  official oil oldest online onto open opinion option orange orchestra ordinary organic organization original outdoor outside oven
  overall owner pain painter painting pair paper park parking part participant partner party passenger passport past pasta path
  patient pattern peace peanut pen penicillin pension people pepper percent perfect performance period personal personality
  pharmacy photo photographer photography physical pianist piano picture piece pilot pink pizza place plan plane plant plastic
  plate player plenty pocket podcast poem poet point police policy political pollen pool poor popular position positive possible
  post pot potato powder power practical pregnancy pregnant present president pressure pretty price primary print printer privacy
  private prize problem process product production profession professional professor profile program programmer programming
  progress proper property proud public pure purple purpose quality quarter queen question quick quiet race radio rain random rare
  rate raw ready real reason recent recipe record red regular related relationship relative relevant religion remote rent repeat
  report request research reservation resident responsible rest restaurant result retired retirement rice rich right ring river
  road rock role romantic roof room roommate root rough round route routine rule rural sad safe safety salad salary sale salt same
  sand sauce scale scared schedule school science scientist scissors screen script sea season seat secret section secure security
  senior sensitive sentence separate serious server service session set seven seventy severe shape sharp shellfish shift ship
  shirt shoe shop shopping short shoulder shower shy sibling sick side silent silver similar simple singer single site situation
  six sixty size skill skin sky sleep slow small smart smoke smooth snack snow soap soccer social society sock soft software soil
  solid solo someone something somewhere song sore sorry sound soup source south space spare special species specific speed spicy
  spoon sport spot spouse spring square stable staff stage stairs stamp standard star state station status steady steel stepfather
  stepmother stomach stone storage storm story straight strange street stress strict strong structure student studio style subject
  suburb successful sudden sugar suit suitable suitcase summer sun sunny super sure surgery surprise sweet swimmer swimming
  symptom system table tall tank task taste tax taxi tea teacher team teenager teeth telephone television temperature temporary
  ten tenant tennis term terrible test text thank theater theatre theory therapist therapy thick thin thirty thousand three throat
  ticket tie tight tired title toe toilet tomato tongue tool tooth top topic total tour tourist toward towel tower town toy track
  trade traditional traffic trail trainer training transfer transport travel traveler treatment tree trip trouble truck true trust
  truth tutor twelve twenty twice twin two type ugly umbrella uncle uncomfortable under underweight unfortunately unhappy uniform
  unique unit university unknown unlike unusual upcoming upper upset urban urgent used useful user usual vacation vaccine valley
  valuable value van various vegan vegetable vehicle version very veterinarian video view village violin visa vision visit visitor
  vitamin voice volume volunteer waiter wall wallet war warm warning wash waste watch water weak wealth weather website wedding
  weekly weight welcome well west wet wheel white whole wide wild willing win wind window wine winter wireless wise woman women
  wonderful wood wooden word worker workout world worried worse worst worth wound wrist writer writing wrong yard yearly yellow
  yoga young younger youngest zero zone adoptive asthma dairy lactose gluten elder older eldest hearing deadline invoice monthly
  nightly
`);

/** The same, with the commonest verbs of other languages. */
export const COMMON_WORDS: ReadonlySet<string> = new Set([
  ...COMMON_ENGLISH,
  ...words(`
  wohnt arbeitet mag hat liebt trinkt isst spielt fährt lebt hasst habite travaille aime préfère possède mange boit
  vive trabaja prefiere tiene come bebe juega vivo mora prefere gosta tem trabalha lavora preferisce ama mangia beve woont werkt
  houdt heeft drinkt mieszka pracuje lubi ma живёт живет работает любит предпочитает имеет
`),
]);

export const COMMON_STEMS: ReadonlySet<string> = new Set([...COMMON_VERBS, ...COMMON_WORDS].map(stemOf));

/** Forms of address and kinship, and abbreviations: no names with whatever capital. */
export const NO_NAMES = words(`
  mr mrs ms mx miss dr prof sir madam sr jr mom mum mommy mummy dad daddy mama papa grandma grandpa granny nana auntie aunt uncle user users assistant
  ok okay am pm etc vs eg ie asap fyi aka no
  herr frau monsieur madame mme señor señora signor signora senhor senhora
`);
