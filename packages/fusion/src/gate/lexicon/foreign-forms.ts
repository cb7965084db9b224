/**
 * Forms of everyday verbs and nouns that no ending tells, by language: the present and what belongs to it, then after a bar the past and its
 * participle. First words are the ones by which the forms are known.
 */
const FORMS: Readonly<Record<string, string>> = {
  de: `essen esse isst esst|aß assen gegessen
nehmen nehme nimmt nehmt|nahm nahmen genommen
geben gebe gibt|gab gaben gegeben
sehen sehe sieht|sah sahen gesehen
lesen lese liest|las lasen gelesen
fahren fahre fährt|fuhr fuhren gefahren
laufen laufe läuft|lief liefen gelaufen
schlafen schlafe schläft|schlief geschlafen
tragen trage trägt|trug trugen getragen
treffen treffe trifft|traf trafen getroffen
helfen helfe hilft|half halfen geholfen
sprechen spreche spricht|sprach sprachen gesprochen
vergessen vergesse vergisst|vergaß
waschen wasche wäscht|wusch gewaschen
halten halte hält|hielt hielten gehalten
lassen lasse lässt|ließ ließen gelassen
fallen falle fällt|fiel fielen gefallen
fangen fange fängt|fing gefangen
laden lade lädt|lud geladen
backen backe bäckt backt|gebacken
vertragen vertrage verträgt|vertrug
werfen werfe wirft|warf geworfen
sterben sterbe stirbt|starb starben gestorben
wissen weiß wissen|wusste wussten gewusst
können kann kannst könnt|konnte konnten gekonnt
müssen muss musst müsst|musste mussten
wollen will willst wollt|wollte wollten
dürfen darf dürft|durfte durften
sollen soll sollt
mögen mag magst mögt|mochte mochten
gehen gehe geht|ging gingen gegangen
kommen komme kommt|kam kamen gekommen
bekommen bekomme bekommt|bekam bekamen
ziehen ziehe zieht|zog zogen gezogen
finden finde findet|fand fanden gefunden
schreiben schreibe schreibt|schrieb schrieben geschrieben
trinken trinke trinkt|trank tranken getrunken
bleiben bleibe bleibt|blieb blieben geblieben
verlieren verliere verliert|verlor verloren
beginnen beginne beginnt|begann begannen begonnen
bringen bringe bringt|brachte brachten gebracht
denken denke denkt|dachte dachten gedacht
kennen kenne kennt|kannte kannten gekannt
stehen stehe steht|stand standen gestanden
sitzen sitze sitzt|saß saßen gesessen
liegen liege liegt|lag lagen gelegen
leihen leihe leiht|lieh geliehen
reiten reite reitet|ritt geritten
schwimmen schwimme schwimmt|schwamm geschwommen
singen singe singt|sang gesungen
fliegen fliege fliegt|flog flogen geflogen
schneiden schneide schneidet|schnitt geschnitten
unterschreiben unterschreibe unterschreibt|unterschrieb
verstehen verstehe versteht|verstand verstanden
anrufen|rief riefen gerufen angerufen`,
  fr: `courir cours court|couru courue
faire fais fait font|faits faite faites
aller vais va vont|allé allée allés allées
prendre prends prend prennent|pris prise prises
apprendre apprends apprend apprennent|appris apprise
mettre mets met mettent|mis mise mises
boire bois boit boivent|bu bue
devoir dois doit doivent
pouvoir peux peut peuvent|pu
vouloir veux veut veulent|voulu
savoir sais sait savent|su
vivre vis vit vivent|vécu
finir finis finit finissent|fini finie
partir pars part partent|parti partie
dormir dors dort dorment|dormi
sortir sors sort sortent|sorti sortie
venir viens vient viennent|venu venue venus venues
tenir tiens tient tiennent|tenu tenue
lire lis lit lisent|lu lue
écrire écris écrit écrivent|écrite
croire crois croit croient|cru
voir vois voit voient|vu vue vus vues
connaître connais connaît connaissent|connu connue
recevoir reçois reçoit reçoivent|reçu reçue
conduire conduis conduit conduisent|conduite
suivre suit suivent|suivi suivie
vendre vends vend vendent|vendu vendue vendus
perdre perds perd perdent|perdu perdue
attendre attends attend attendent|attendu
entendre entends entend entendent
répondre réponds répond répondent|répondu
rendre rends rend rendent|rendu rendue
choisir choisis choisit choisissent|choisi choisie
souffrir souffre souffrent|souffert
offrir offre offrent|offert offerte
ouvrir ouvre ouvrent|ouvert ouverte
acheter achète achètent|acheté achetée achetés achetées
préférer préfère préfèrent
promener promène promènent
appeler appelle appellent`,
  es: `hacer hago hace hacen|hice hizo hicieron hecho hecha
poder puedo puede pueden|pude pudo pudieron podido
querer quiero quiere quieren|quise quiso
poner pongo pone ponen|puse puso pusieron puesto puesta
venir vengo viene vienen|vine vino vinieron venido
salir salgo sale salen|salí salió salieron salido
traer traigo trae traen|traje trajo trajeron traído
conocer conozco conoce conocen|conocí conoció conocido
ir voy va van|fui fue fueron ido
decir digo dice dicen|dije dijo dijeron dicho
saber sé sabe saben|supe supo
ver veo ve ven|vi vio vieron visto vista
dar doy da dan|di dio dieron dado
oír oigo oye oyen|oí oyó
leer leo lee leen|leí leyó leyeron leído
conducir conduzco conduce conducen|conduje condujo
dormir duermo duerme duermen|dormí durmió
preferir prefiero prefiere prefieren|preferí prefirió
pedir pido pide piden|pedí pidió pidieron pedido
jugar juego juega juegan|jugué jugó jugado
empezar empiezo empieza empiezan|empecé empezó empezaron empezado
comenzar comienzo comienza comienzan|comencé comenzó comenzado
romper rompo rompe|rompí rompió roto rota
escribir escribo escribe|escribí escribió escrito escrita
volver vuelvo vuelve vuelven|volví volvió vuelto
morir muero muere mueren|murió murieron muerto
tener|tuve tuvo tuvieron tenido
estar|estuve estuvo estuvieron estado
perder pierdo pierde|perdí perdió perdido
pagar pago paga|pagué pagó pagado
llegar llego llega|llegué llegó llegado
sacar saco saca|saqué sacó sacado
tocar toco toca|toqué tocó tocado
buscar busco busca|busqué buscó buscado
hija hijas
hijo hijos`,
  it: `fare faccio fa fanno|fatto fatta fatti fatte
andare vado va vanno|andato andata andati
stare sto sta stanno
dare do dà danno|dato data
potere posso può possono|potuto
volere voglio vuole vogliono|voluto
sapere so sa sanno|saputo
dire dico dice dicono|detto
venire vengo viene vengono|venuto venuta
tenere tengo tiene tengono|tenuto
rimanere rimango rimane rimangono|rimasto rimasta
scegliere scelgo sceglie scelgono|scelto scelta
uscire esco esce escono|uscito uscita
piacere piace piacciono|piaciuto piaciuta
dovere devo deve devono|dovuto
bere bevo beve bevono|bevuto
andrà andrò andranno
farà farò faranno
sarà sarò saranno
figlia figlie
figlio figli`,
  pt: `fazer faço faz fazem|fiz fez fizeram feito feita
ir vou vai vão|fui ido
poder posso pode podem|pude pôde puderam
querer quero quer querem|quis quiseram
saber sei sabe sabem|soube souberam
dizer digo diz dizem|disse disseram dito
vir venho vem vêm|vim veio vieram
pôr ponho põe põem|pus pôs puseram posto posta
trazer trago traz trazem|trouxe trouxeram trazido
ver vejo vê veem|vi viu viram visto vista
dar dou dá dão|dei deu deram dado
dormir durmo dorme dormem|dormi dormiu dormido
preferir prefiro prefere preferem|preferi preferiu
seguir sigo segue seguem|segui seguiu
perder perco perde perdem|perdi perdeu perdido
ouvir ouço ouve ouvem|ouvi ouviu
pedir peço pede pedem|pedi pediu pedido
ler leio lê leem|li leu leram lido
ter|tive teve tiveram tido
estar|estive esteve estiveram
sair saio sai saem|saí saiu saíram saído
conseguir consigo consegue conseguem|consegui conseguiu
cair caio cai caem|caí caiu
pagar pago paga|paguei pagou pagaram
ficar fico fica ficam|fiquei ficou ficaram
começar começo começa|comecei começou começaram
tocar toco toca|toquei tocou
jogar jogo joga|joguei jogou
filha filhas
filho filhos`,
  nl: `kunnen kan kunt|kon konden gekund
willen wil wilt|wilde wilden wou gewild
mogen mag|mocht mochten
moeten moet|moest moesten
zullen zal zullen
gaan ga gaat|ging gingen gegaan
staan sta staat|stond stonden gestaan
doen doe doet|deed deden gedaan
zien zie ziet|zag zagen gezien
weten weet|wist wisten geweten
eten eet|at aten gegeten
nemen neem neemt|nam namen genomen
komen kom komt|kwam kwamen gekomen
geven geef geeft|gaf gaven gegeven
lezen lees leest|las lazen gelezen
schrijven schrijf schrijft|schreef schreven geschreven
rijden rijd rijdt rij|reed reden gereden
drinken drink drinkt|dronk dronken gedronken
lopen loop loopt|liep liepen gelopen
slapen slaap slaapt|sliep sliepen geslapen
kopen koop koopt|kocht kochten gekocht
verkopen verkoop verkoopt|verkocht verkochten
brengen breng brengt|bracht brachten gebracht
beginnen begin begint|begon begonnen
vinden vind vindt|vond vonden gevonden
krijgen krijg krijgt|kreeg kregen gekregen
spreken spreek spreekt|sprak spraken gesproken
houden houd houdt hou|hield hielden gehouden
blijven blijf blijft|bleef bleven gebleven
zoon zonen zoons
stad steden
kind kinderen`,
  pl: `chcieć chcę chce chcą|chciał chciała
móc mogę może mogą|mógł mogła
iść idę idzie idą|szedł szła
jechać jadę jedzie jadą
jeść jem je jedzą|jadł jadła
pić piję pije piją|pił piła
spać śpię śpi śpią
lubić lubię lubi lubią|lubił lubiła
robić robię robi robią|robił robiła
mówić mówię mówi mówią|mówił mówiła
chodzić chodzę chodzi chodzą|chodził chodziła
jeździć jeżdżę jeździ jeżdżą|jeździł jeździła
płacić płacę płaci płacą|płacił płaciła
nosić noszę nosi noszą|nosił nosiła
uczyć uczę uczy uczą|uczył uczyła
widzieć widzę widzi widzą|widział widziała
brać biorę bierze biorą|brał brała
pisać piszę pisze piszą|pisał pisała
wiedzieć wiem wie wiedzą
pies psa psu psem psy psów psami
dzień dnia dni dniu
córka córki córkę córce córką córek
syn syna synowi synem synu synowie synów
brat brata bratu bratem bracia braci
siostra siostry siostrę siostrze siostrą sióstr
ojciec ojca ojcu ojcem
matka matki matkę matce matką
mąż męża mężowi mężem
żona żony żonę żonie żoną
dziecko dziecka dzieci dzieckiem
pokój pokoju pokojem
samochód samochodu samochodem samochodowi samochody samochodów`,
  sv: `bror brorsan brors bröder bröderna
syster systern systrar
mor mamma mors
far pappa fars
barn barnet barnen barns
son sonen söner sönerna
dotter dottern döttrar
man mannen
fot foten fötter
natt natten nätter
bok boken böcker
stad staden städer
hand handen händer`,
  ru: `любить люблю любит любят любишь|любил любила любили
хотеть хочу хочет хотят|хотел хотела хотели
мочь могу может могут|мог могла могли
видеть вижу видит видят|видел видела
ездить езжу ездит ездят|ездил ездила
ходить хожу ходит ходят|ходил ходила
водить вожу водит водят|водил водила
готовить готовлю готовит готовят|готовил готовила
носить ношу носит носят|носил носила
просить прошу просит просят|просил просила
писать пишу пишет пишут|писал писала
пить пью пьёт пьет пьют|пил пила
есть ем ест едят|ел ела ели
спать сплю спит спят|спал спала
платить плачу платит платят|платил платила
учиться учусь учится учатся|учился училась
учить учу учит учат|учил учила
лететь лечу летит летят|летел летела
ехать еду едет едут|ехал ехала
идти иду идёт идет идут|шёл шел шла шли
бежать бегу бежит бегут
жить живу живёт живет живут|жил жила жили
купить куплю купит купят|купил купила купили
пойти пойду пойдёт пойдет|пошёл пошел пошла
поехать поеду поедет поедут|поехал поехала
дочь дочери дочерью дочерей дочерям дочка дочки дочке дочку
мать матери матерью мама мамы маме маму
отец отца отцу отцом отце
день дня дню днём днем дни дней дням
ребёнок ребенок ребёнка ребенка ребёнку ребенку
сын сына сыну сыном сыне сыновья сыновей
брат брата брату братом брате братья братьев
друг друга другу другом друзья друзей
муж мужа мужу мужем муже
пёс пес пса псу псом
кошка кошки кошку кошке кошкой кошек
собака собаки собаку собаке собакой собак
сестра сестры сестре сестру сестрой сёстры сестёр`,
};

const BASES = new Map<string, ReadonlyMap<string, string>>();
for (const [code, list] of Object.entries(FORMS)) {
  const bases = new Map<string, string>();
  for (const line of list.split('\n')) {
    const [present, past] = line.split('|');
    const words = present!.split(' ');
    const base = words[0]!;
    for (const word of words) if (!bases.has(word)) bases.set(word, base);
    // A bar keeps what was apart from what is.
    for (const word of (past ?? '').split(' '))
      if (word !== '' && !bases.has(word)) bases.set(word, `${base}|`);
  }
  BASES.set(code, bases);
}

/** The first word of the forms to which a word belongs, with a bar when it is one of the past; null for words that endings tell. */
export function formOf(word: string, code: string): string | null {
  return BASES.get(code)?.get(word) ?? null;
}
