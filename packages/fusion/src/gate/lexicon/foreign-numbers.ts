/** Spelled numbers of languages that have no table of numbers: all forms of each, from two on. "One" is an article as often. */
const SPELLED: Readonly<Record<string, string>> = {
  pl: `2 dwa dwie dwóch dwu dwoje dwaj dwóm dwoma|3 trzy trzech troje trzem trzema|4 cztery czterech czworo czterem|5 pięć pięciu|6 sześć sześciu|
    7 siedem siedmiu|8 osiem ośmiu|9 dziewięć dziewięciu|10 dziesięć dziesięciu|11 jedenaście jedenastu|12 dwanaście dwunastu|13 trzynaście trzynastu|14 czternaście czternastu|
    15 piętnaście piętnastu|16 szesnaście szesnastu|17 siedemnaście siedemnastu|18 osiemnaście osiemnastu|19 dziewiętnaście dziewiętnastu|20 dwadzieścia dwudziestu|30 trzydzieści|40 czterdzieści|
    50 pięćdziesiąt|60 sześćdziesiąt|70 siedemdziesiąt|80 osiemdziesiąt|90 dziewięćdziesiąt|100 sto|200 dwieście|1000 tysiąc`,
  sv: `2 två|3 tre|4 fyra|5 fem|6 sex|7 sju|8 åtta|9 nio|10 tio|11 elva|12 tolv|13 tretton|14 fjorton|15 femton|16 sexton|17 sjutton|18 arton|
    19 nitton|20 tjugo|30 trettio|40 fyrtio|50 femtio|60 sextio|70 sjuttio|80 åttio|90 nittio|100 hundra|1000 tusen`,
  ru: `2 два две двух двум двумя двое двоих|3 три трех трёх трем трём тремя трое троих|4 четыре четырех четырёх четверо|5 пять пяти пятью|6 шесть шести|
    7 семь семи|8 восемь восьми|9 девять девяти|10 десять десяти|11 одиннадцать|12 двенадцать двенадцати|13 тринадцать|14 четырнадцать|15 пятнадцать пятнадцати|
    16 шестнадцать|17 семнадцать|18 восемнадцать|19 девятнадцать|20 двадцать двадцати|30 тридцать тридцати|40 сорок сорока|50 пятьдесят пятидесяти|
    60 шестьдесят|70 семьдесят|80 восемьдесят|90 девяносто|100 сто|200 двести|300 триста|500 пятьсот|1000 тысяча`,
  tr: '2 iki|3 üç|4 dört|5 beş|6 altı|7 yedi|8 sekiz|9 dokuz|10 on|20 yirmi|30 otuz|40 kırk|50 elli|60 altmış|70 yetmiş|80 seksen|90 doksan|100 yüz|1000 bin',
  ar: '2 اثنان اثنين اثنتان اثنتين|3 ثلاثة ثلاث|4 أربعة أربع|5 خمسة خمس|6 ستة ست|7 سبعة سبع|8 ثمانية ثماني|9 تسعة تسع|10 عشرة عشر|20 عشرون عشرين|100 مائة مئة',
  hi: '2 दो|3 तीन|4 चार|5 पाँच पांच|6 छह छः|7 सात|8 आठ|9 नौ|10 दस|11 ग्यारह|12 बारह|15 पंद्रह|20 बीस|30 तीस|40 चालीस|50 पचास|100 सौ',
  ko: '2 두|3 세|4 네|5 다섯|6 여섯|7 일곱|8 여덟|9 아홉|10 열',
};

const VALUES = new Map(
  Object.entries(SPELLED).map(([code, list]): [string, ReadonlyMap<string, number>] => {
    const values = new Map<string, number>();
    for (const group of list.split('|')) {
      const [value, ...words] = group.trim().split(/\s+/);
      for (const word of words) values.set(word, Number(value));
    }
    return [code, values];
  }),
);

/** The value of a number word that stands alone; null for any other word. */
export function spelledNumber(word: string, code: string): number | null {
  return VALUES.get(code)?.get(word) ?? null;
}
