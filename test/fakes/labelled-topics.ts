/**
 * Short memories by topic, for measuring an embedder: two of one topic are related, two of different topics are not. Written as
 * agents write memories: one subject that recurs everywhere, paraphrases, details, several languages.
 */
export const LABELLED_TOPICS: Readonly<Record<string, readonly string[]>> = {
  cello: [
    'Mara plays the cello in an amateur orchestra.',
    'Mara rehearses with her orchestra every Tuesday evening and plays cello there.',
    'Her cello was made in Mittenwald in 1921.',
    "Mara's orchestra performs Dvořák's cello concerto in June.",
  ],
  nutAllergy: [
    'Mara is allergic to peanuts and carries an adrenaline pen.',
    'Peanuts give Mara a severe allergic reaction.',
    'Mara always asks restaurants about peanuts because of her allergy.',
    'The adrenaline pen for her peanut allergy expires in March 2027.',
  ],
  commute: [
    'Mara commutes to the office by train three days a week.',
    'The train to the office takes Mara 42 minutes.',
    'On train days Mara leaves home at 7:10 to reach the office.',
    'Mara reads novels on the commuter train.',
  ],
  dog: [
    'Mara has a beagle called Biscuit.',
    'Biscuit the beagle is 6 years old.',
    'Mara walks Biscuit along the river before breakfast.',
    'The vet put Biscuit the beagle on a diet of 300 g a day.',
  ],
  job: [
    'Mara works as a structural engineer at Halden Bridges.',
    'At Halden Bridges Mara leads a team of four engineers.',
    'Mara joined Halden Bridges as an engineer in 2019.',
    'Halden Bridges promoted Mara to senior structural engineer.',
  ],
  coffee: [
    'Mara drinks her coffee black, without sugar.',
    'Mara prefers light roast coffee from Ethiopia.',
    'She grinds her coffee beans by hand every morning.',
    'Mara stopped drinking coffee after 3 pm.',
  ],
  lisbon: [
    'Mara is planning a trip to Lisbon in September.',
    'The flight to Lisbon leaves on 12 September at 09:40.',
    'Mara booked a small hotel in Alfama for the Lisbon trip.',
    'Her budget for the Lisbon trip is 1,200 EUR.',
  ],
  sister: [
    "Mara's sister Ida lives in Bergen with two children.",
    'Ida, the sister in Bergen, is a nurse.',
    'Mara visits her sister Ida in Bergen at Easter.',
    "Ida's children are called Nils and Una.",
  ],
  running: [
    'Mara is training for a half marathon.',
    'The half marathon is on 18 October in Freiburg.',
    'Mara runs 10 km twice a week as marathon training.',
    'Her best half marathon time is 1:58.',
  ],
  apartment: [
    'Mara rents a two-room apartment in Kreuzberg.',
    'The rent of the apartment is 1,150 EUR a month.',
    "Mara's apartment is on the fourth floor without a lift.",
    'The landlord of the Kreuzberg apartment is Mr Yilmaz.',
  ],
  editor: [
    'Use dark mode and 2-space indentation in the code editor.',
    'Mara edits code in Neovim with a dark theme.',
    'Her code editor font is JetBrains Mono at 13 points.',
    'Mara wants code examples in TypeScript, indented by two spaces.',
  ],
  garden: [
    'Mara grows tomatoes and basil on the balcony.',
    'The balcony tomatoes were attacked by aphids in July.',
    'Mara waters the tomatoes on the balcony every evening.',
    'She planted six tomato seedlings in May.',
  ],
  meetings: [
    'Mara wants no meetings before 10 in the morning.',
    'Please schedule meetings with Mara in the afternoon.',
    'Mara keeps Friday afternoons free of meetings.',
    'Meetings longer than 30 minutes need an agenda.',
  ],
  spanish: [
    'Mara is learning Spanish with a tutor on Wednesdays.',
    'Her Spanish is at level B1 now.',
    "Mara's Spanish tutor is Lucía from Valencia.",
    'She wants to pass the Spanish B2 exam in November.',
  ],
  laptop: [
    'Mara bought a ThinkPad laptop with 32 GB of memory.',
    "The laptop's battery lasts about 9 hours.",
    'The ThinkPad has a cracked screen corner.',
    'Warranty of the ThinkPad laptop ends in April 2028.',
  ],
  teaGerman: [
    'Jonas trinkt am liebsten grünen Tee aus Japan.',
    'Grüner Tee aus Japan steht bei Jonas im Küchenschrank.',
    'Jonas bestellt seinen japanischen Tee in Hamburg.',
  ],
  chessRussian: [
    'Анна играет в шахматы по средам.',
    'Анна выиграла шахматный турнир в клубе.',
    'Анна учит дочь играть в шахматы.',
  ],
  schoolArabic: [
    'تدرّس ليلى الرياضيات في مدرسة ثانوية.',
    'تعمل ليلى مدرسة رياضيات منذ 2015.',
    'مدرسة ليلى الثانوية قريبة من البحر.',
  ],
  ramenJapanese: [
    '健太は味噌ラーメンが大好きです。',
    '健太は毎週金曜日にラーメンを食べる。',
    '駅前のラーメン屋は健太のお気に入りです。',
  ],
  hikingChinese: ['王芳喜欢周末去爬山。', '王芳上周末在黄山爬山。', '爬山的时候王芳总是带相机。'],
  pizzaEmoji: [
    'Best pizza night ever 🍕 with Tom',
    'Tom owes me a 🍕 since the bet',
    'Friday is 🍕 pizza night',
  ],
};
