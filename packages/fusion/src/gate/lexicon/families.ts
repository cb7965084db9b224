/**
 * Words of one stem whose spelling does not tell it: the verb, its noun, its adjective. One family per line. Who does a thing and to whom
 * it is done ("employer", "employee") are no such words: they turn a statement round.
 */
export const FAMILIES = `
lend lent loan
sell sold sale sales
think thought thoughts
believe belief
prove proof
speak speech
give gift
lose lost loss
choose chose choice
live life lives
die death dead
sing song
advise advice
succeed success successful
breathe breath
bleed blood
bathe bath
see sight
know knowledge
fly flight
weigh weight
high height
long length lengthy
wide width
deep depth
strong strength
hot heat
warm warmth
true truth
young youth
wise wisdom
free freedom freed
proud pride
anger angry
hunger hungry
thirst thirsty
noise noisy
danger dangerous
fame famous
nerve nervous
religion religious
study studies student
complain complaint
suspect suspicion suspicious
explain explanation
pronounce pronunciation
maintain maintenance
repeat repetition repetitive
apply application
appear appearance
vary variety various
destroy destruction
receive receipt reception
move movement
marry marriage wedding
grow growth
compare comparison
press pressure
sign signature
mix mixture
expose exposure
furnish furniture
depart departure
mathematics mathematician
library librarian
journal journalist
nutrition nutritionist
photograph photographer photography
medicine medical
tradition traditional
profession professional
education educational educate
base basic
bad badly
ill illness
sleep slept asleep
wake awake
child childhood
friend friendship
parent parental parenthood
leash leashed
absent absence
patient patience
silent silence
convenient convenience
confident confidence
private privacy
accurate accuracy
urgent urgency
pregnant pregnancy
poor poverty
rich riches
beauty beautiful
pain painful
help helpful
harm harmful
stress stressful stressed
peace peaceful
care careful
use useful usage
write wrote written writing
draw drew drawing drawn
swim swam swimming
cycle cycling cyclist
behave behaviour behavior
fail failure
please pleasure
seize seizure
store storage
pack package packaging
drain drainage
break breakage
marry married
tour tourist tourism
month monthly
week weekly
`;

/** Countries and regions with what comes from there. */
export const ORIGINS = `
ethiopia ethiopian|italy italian|spain spanish spaniard|france french|germany german|portugal portuguese|greece greek|turkey turkish|
poland polish pole|sweden swedish|norway norwegian|denmark danish|finland finnish|iceland icelandic|ireland irish|scotland scottish|
wales welsh|england english|britain british|netherlands dutch|holland dutch|belgium belgian|switzerland swiss|austria austrian|hungary hungarian|
romania romanian|bulgaria bulgarian|serbia serbian|croatia croatian|slovenia slovenian|slovakia slovak|ukraine ukrainian|russia russian|
estonia estonian|latvia latvian|lithuania lithuanian|japan japanese|china chinese|korea korean|vietnam vietnamese|thailand thai|india indian|
nepal nepalese nepali|pakistan pakistani|bangladesh bangladeshi|indonesia indonesian|malaysia malaysian|philippines filipino|iran iranian|
iraq iraqi|syria syrian|lebanon lebanese|israel israeli|egypt egyptian|morocco moroccan|tunisia tunisian|algeria algerian|kenya kenyan|
nigeria nigerian|ghana ghanaian|senegal senegalese|uganda ugandan|tanzania tanzanian|rwanda rwandan|colombia colombian|brazil brazilian|
argentina argentinian argentine|chile chilean|peru peruvian|ecuador ecuadorian|bolivia bolivian|venezuela venezuelan|mexico mexican|
guatemala guatemalan|cuba cuban|jamaica jamaican|canada canadian|america american|australia australian|sicily sicilian|bavaria bavarian|
tuscany tuscan|venice venetian|vienna viennese|europe european|asia asian|africa african`;
