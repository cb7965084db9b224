/**
 * Irregular forms of English verbs and nouns. A verb's line is base, past, participle; further forms of a slot are joined by a slash. The
 * past of a verb is told from its participle where the two are spelled differently.
 */
const VERBS = `
arise arose arisen|awake awoke awoken|be was/were been|bear bore borne|beat beat beaten|become became become|begin began begun|
bend bent bent|bet bet bet|bind bound bound|bite bit bitten|bleed bled bled|blow blew blown|break broke broken|breed bred bred|
bring brought brought|build built built|burn burnt burnt|burst burst burst|buy bought bought|catch caught caught|choose chose chosen|
cling clung clung|come came come|cost cost cost|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug|do did done|draw drew drawn|
dream dreamt dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought|
find found found|flee fled fled|fly flew flown|forbid forbade forbidden|forecast forecast forecast|forget forgot forgotten|
forgive forgave forgiven|freeze froze frozen|get got got/gotten|give gave given|go went gone|grind ground ground|grow grew grown|
hang hung hung|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept|kneel knelt knelt|
knit knit knit|know knew known|lay laid laid|lead led led|lean leant leant|leap leapt leapt|learn learnt learnt|leave left left|
lend lent lent|let let let|lie lay lain|light lit lit|lose lost lost|make made made|mean meant meant|meet met met|mistake mistook mistaken|
mow mowed mown|overcome overcame overcome|owe owed owed/owing|sue sued sued|dye dyed dyed|oversleep overslept overslept|pay paid paid|prove proved proven|put put put|quit quit quit|
read read read|rebuild rebuilt rebuilt|redo redid redone|repay repaid repaid|resell resold resold|rewrite rewrote rewritten|ride rode ridden|
ring rang rung|rise rose risen|run ran run|say said said|see saw seen|seek sought sought|sell sold sold|send sent sent|set set set|
sew sewed sewn|shake shook shaken|shine shone shone|shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|
sink sank sunk|sit sat sat|sleep slept slept|slide slid slid|smell smelt smelt|sow sowed sown|speak spoke spoken|speed sped sped|
spell spelt spelt|spend spent spent|spill spilt spilt|spin spun spun|split split split|spoil spoilt spoilt|spread spread spread|
spring sprang sprung|stand stood stood|steal stole stolen|stick stuck stuck|sting stung stung|strike struck struck|strive strove striven|
swear swore sworn|sweep swept swept|swell swelled swollen|swim swam swum|swing swung swung|take took taken|teach taught taught|
tear tore torn|tell told told|think thought thought|throw threw thrown|undergo underwent undergone|understand understood understood|
undo undid undone|upset upset upset|wake woke woken|wear wore worn|weave wove woven|weep wept wept|win won won|wind wound wound|
withdraw withdrew withdrawn|write wrote written|upgrade upgraded upgraded|outgrow outgrew outgrown|foresee foresaw foreseen|
oversee oversaw overseen|misread misread misread|retake retook retaken|resit resat resat|sublet sublet sublet|input input input|
die died died|lie lied lied|tie tied tied|vie vied vied|panic panicked panicked|picnic picnicked picnicked`;

const NOUNS = `
children child|men man|women woman|people person|feet foot|teeth tooth|geese goose|mice mouse|lice louse|oxen ox|knives knife|wives wife|
loaves loaf|halves half|shelves shelf|wolves wolf|thieves thief|scarves scarf|calves calf|elves elf|selves self|
potatoes potato|tomatoes tomato|heroes hero|echoes echo|mangoes mango|criteria criterion|phenomena phenomenon|analyses analysis|
diagnoses diagnosis|crises crisis|theses thesis|hypotheses hypothesis|parentheses parenthesis|bases basis|axes axis|indices index|
indexes index|matrices matrix|vertices vertex|appendices appendix|cacti cactus|hooves hoof|roofs roof|customs customs|fungi fungus|alumni alumnus|nuclei nucleus|
syllabi syllabus|stimuli stimulus|curricula curriculum|media medium|bacteria bacterium|grandchildren grandchild|
stepchildren stepchild|godchildren godchild|policemen policeman|salesmen salesman|firemen fireman|midwives midwife|housewives housewife|
ex-wives ex-wife|sheep sheep|deer deer|fish fish|series series|species species|aircraft aircraft|news news|
gas gas|bus bus|buses bus|gases gas|lens lens|lenses lens|glasses glasses|yes yes|always always|physics physics|tennis tennis|
diabetes diabetes|asthma asthma|maths math|mathematics math|economics economics|politics politics|gymnastics gymnastics|
athletics athletics|ethics ethics|genetics genetics|headphones headphone|clothes clothes|scissors scissors|kubernetes kubernetes|
postgres postgres|redis redis|christmas christmas|cookies cookie|movies movie|selfies selfie|calories calorie|
prairies prairie|zombies zombie|smoothies smoothie|brownies brownie|rookies rookie|hoodies hoodie|aunties auntie|newbies newbie|
canvas canvas|atlas atlas|campus campus|campuses campus|virus virus|viruses virus|census census|bonus bonus|bonuses bonus|
status status|statuses status|focus focus|cactus cactus|octopus octopus|walrus walrus|chaos chaos|basis basis|tuna tuna|
iris iris|arthritis arthritis|bronchitis bronchitis|hepatitis hepatitis|thesis thesis|diagnosis diagnosis|crisis crisis|analysis analysis`;

export interface VerbForm {
  base: string;
  tense: 'past' | 'participle' | 'both';
}

/** Verbs whose past and participle are spelled as they are: "hit", "cut". */
export const UNCHANGING: ReadonlySet<string> = new Set(
  VERBS.split('|').flatMap((line) => {
    const [base = '', past = ''] = line.trim().split(' ');
    return base === past ? [base] : [];
  }),
);
/** Irregular verb form to its base verbs: "left" is a form of "leave", "lay" one of "lie" and a base of its own. */
export const VERB_FORMS: ReadonlyMap<string, VerbForm> = readVerbs();
/** Irregular plural, or a noun that only looks like a plural, to its singular. */
export const NOUN_FORMS: ReadonlyMap<string, string> = new Map(
  NOUNS.split('|').map((line) => line.trim().split(' ') as [string, string]),
);

function readVerbs(): Map<string, VerbForm> {
  const forms = new Map<string, VerbForm>();
  for (const line of VERBS.split('|')) {
    const [base = '', past = '', participle = ''] = line.trim().split(' ');
    const participles = new Set(participle.split('/'));
    for (const form of past.split('/')) {
      if (form !== base) forms.set(form, { base, tense: participles.has(form) ? 'both' : 'past' });
    }
    for (const form of participles) {
      if (form !== base && !forms.has(form)) forms.set(form, { base, tense: 'participle' });
    }
  }
  return forms;
}
