const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter(Boolean));

/** Words that say nothing about the topic. They keep a little weight, so that a text of nothing else still has a direction. */
export const STOP_WORDS = words(`
  a an the this that these those it its he she they them his her their hers him i me my mine we us our you your you user users is
  are was were be been being am do does did done doing have has had having will would can could should may might must shall to of
  in on at by for from with without about as into over under after before between during through and or but if so than then too
  very just also there here when where who whom which what how why not no nor only own same such each every all any both few more
  most other some s t don doesn didn isn wasn aren won up down out off again once because until since while usually often always
  sometimes never really now still already
  der die das und oder ein eine einer einen ist sind war mit von zu im am den dem des auf fur er sie es sein ihr nicht auch
  le la les un une du de et ou est sont avec pour dans sur il elle pas qui que el los las y o son con por para en se su lo al del
  di che e per non uno una и в на с не что он она это как по из за от у к`);

/** Words that many topics share: time, number, and the verbs and nouns of any note about a person. */
export const COMMON_WORDS = words(`
  day days daily week weeks weekly weekend month months monthly year years yearly hour hours minute minutes morning mornings
  afternoon afternoons evening evenings night nights noon today yesterday tomorrow time times date am pm
  monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
  january february march april june july august september october november december
  one two three four five six seven eight nine ten first second third last next half twice
  like likes liked love loves loved prefer prefers preferred want wants wanted need needs needed keep keeps kept take takes took
  make makes made go goes went going come comes came get gets got give gives gave use uses used using ask asks asked say says said
  tell tells told think thinks thought know knows knew find finds found try tries tried start starts started stop stops stopped
  plan plans planned planning book booked buy buys bought live lives lived call called calls leave leaves left
  new old good best better big small long short old little much many lot well thing things people person please mr mrs ms dr`);
