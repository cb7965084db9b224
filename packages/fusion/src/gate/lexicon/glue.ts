import { wordList } from './word-list.ts';

/**
 * Words that say nothing by themselves: they may be left out of a summary and put into one. Articles, pronouns, auxiliaries, plain
 * prepositions, and the verbs that only carry a noun ("has an allergy", "goes running", "uses a laptop").
 */
export const GLUE = wordList(`
  a an the this that these those such
  i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself it its itself
  they them their theirs themselves who whom whose which what there here
  be am is are was were been being have has had having do does did doing done get gets got getting gotten
  of at in on for with by to from into onto about as via per upon within during while regarding concerning towards toward through
  and but yet among amongst also too both plus along together well then so
  user users person individual someone somebody anyone named called name names known
  one ones number numbers according w
  cost costs costing price takes_place
  just really actually basically simply quite pretty very
  btw
  um uh oh hey hi hello please thanks ok okay btw fyi note reminder hmm yeah yep yes lol anyway
  said says say saying mention mentions mentioned mentioning tell tells told telling
  specifically namely particularly especially includes include included including overall various generally
  currently now nowadays presently already
  where when how whether though although however meanwhile otherwise
  make makes made making take takes took taken taking go goes went gone going use uses used using
  attend attends attended attending consist consists comprise comprises comprising contain contains contained containing
  located situated held scheduled occurring occurs occur occurred takes_place
  etc ie eg
  turn turns turned turning
  other others another
  receive receives received receiving info identify identifies identified information detail details fact facts
  's s t d ll ve re m
`);

/** Glue that may stand only in a summary: words for what a list has in common. */
export const SUMMARY_GLUE = wordList(`
  preference preferences interest interests hobby hobbies activity activities routine routines habit habits
  profile background summary overview
  follow following followed
  type kind sort item items thing things aspect aspects
  involve involves involved involving relate related relates regards
  whereas additionally furthermore moreover similarly likewise respectively
`);

/** Words that a source may have and a summary may leave out, but not add. */
export const DROPPABLE = wordList(`
  feel feels feeling honestly frankly personally obviously definitely certainly surely
  absolutely totally truly literally finally recently newly
  still yet even kinda sorta
  some any can either
  own owns owned owning owner people person come comes coming came
  super extremely incredibly
  way stuff thing things mr mrs ms miss
  happen happens happened
  actually honest
`);

/** Verbs of saying that are dropped with the "that" after them: "The user noted that ...". */
export const REPORTING = wordList(`
  note notes noted report reports reported state states stated share shares shared inform informs informed explain explains explained
  add adds added confirm confirms confirmed reveal reveals revealed describe describes described express expresses expressed
  admit admits admitted discover discovered find finds found_out learn learned remember remembers indicate indicates indicated clarify clarified disclose disclosed
`);
