import { describe, expect, it } from 'vitest';
import { isLasting } from './lasting.ts';

describe('isLasting', () => {
  it.each([
    ['en', 'Ben owns two cows.'],
    ['en', 'Likes tea'],
    ['en', 'The deadline of the garden project is 15 October 2026.'],
    ['en', 'José lives in Malmö with Żaneta.'],
    ['de', 'Ben wohnt in Berlin und hat eine Katze.'],
    ['fr', 'Elle habite à Lyon avec son chat.'],
    ['es', 'Ella trabaja en una tienda y tiene un perro.'],
    ['it', 'Anna abita a Roma con il gatto.'],
    ['pt', 'Ele mora no Porto com a filha.'],
    ['nl', 'Anna woont in Gent en heeft een hond.'],
  ])('a text of the language %s without a day, %j: true', (_language, text) => {
    expect(isLasting(text)).toBe(true);
  });

  it.each([
    ...[
      'Met Ben today.',
      'Met Ben two days ago.',
      'Saw the dentist yesterday.',
      'The bus leaves in two hours.',
    ],
    ...[
      'She ate fish last week.',
      'She is at home now.',
      'She just sold the car.',
      'She recently moved to Bonn.',
    ],
    ...[
      'See you on Friday.',
      'He is ill this week.',
      'The visit is next month.',
      'The shop opens in a few days.',
    ],
    ...['She said "see you tomorrow" to Ben.', 'Met Ben hoy in the park.', 'Met Ben idag in the park.'],
    ...['Met Ben сегодня in the park.', 'She met Ben 今日 in the park.'],
  ])('an English text that depends on its day, %j: false', (text) => {
    expect(isLasting(text)).toBe(false);
  });

  it.each([
    [
      'de',
      'Heute habe ich Ben getroffen.',
      'Ich war gestern bei der Ärztin.',
      'Ich habe Ben vor zwei Tagen gesehen.',
    ],
    [
      'fr',
      "J'ai vu Ben aujourd'hui.",
      'Je suis allé chez le médecin hier.',
      'Je vois Ben la semaine prochaine.',
    ],
    ['es', 'Fui al médico hoy.', 'Vi a Ben ayer.', 'Vi a Ben hace dos días.'],
    ['it', 'Oggi ho visto Ben.', 'Ieri sono andato dal medico.', 'Ho visto Ben due giorni fa.'],
    ['pt', 'Fui ao médico hoje.', 'Vi o Ben ontem.', 'Vi o Ben há dois dias.'],
    ['nl', 'Ik heb Ben vandaag gezien.', 'Gisteren was ik bij de dokter.', 'Twee dagen geleden zag ik Ben.'],
    ['pl', 'Wczoraj widziałem Bena.', 'Dziś byłem u lekarza.', 'Widziałem Bena dwa dni temu.'],
    ['sv', 'Träffade Ben idag.', 'Jag var hos läkaren igår.', 'Jag såg Ben för två dagar sedan.'],
    ['da', 'Jeg mødte Ben i dag.', 'Var hos lægen i går.', 'Jeg så Ben for to dage siden.'],
    ['nb', 'Møtte Ben i dag.', 'Var hos legen i går.', 'Han var her for to dager siden.'],
    ['fi', 'Tapasin Benin tänään.', 'Kävin lääkärissä eilen.', 'Näin Benin kaksi päivää sitten.'],
    ['is', 'Hitti Ben í dag.', 'Fór til læknis í gær.', 'Sá Ben fyrir tveimur dögum.'],
    ['cs', 'Dnes jsem viděl Bena.', 'Včera jsem byl u lékaře.', 'Viděl jsem Bena před dvěma dny.'],
    ['sk', 'Dnes som stretol Bena.', 'Včera som bol u lekára.', 'Pred dvoma dňami som videl Bena.'],
    ['hr', 'Danas sam vidio Bena.', 'Jučer sam bio kod liječnika.', 'Vidio sam Bena prije dva dana.'],
    ['hu', 'Ma találkoztam Bennel.', 'Tegnap orvosnál voltam.', 'Két napja láttam Bent.'],
    ['ro', 'Am fost la doctor azi.', 'L-am văzut pe Ben ieri.', 'Am vazut pe Ben acum doua zile.'],
    ['et', 'Kohtusin Beniga täna.', 'Käisin eile arsti juures.', 'Nägin Beni kaks päeva tagasi.'],
    ['lv', 'Šodien satiku Benu.', 'Vakar biju pie ārsta.', 'Redzēju Benu pirms divām dienām.'],
    ['lt', 'Šiandien mačiau Beną.', 'Vakar buvau pas gydytoją.', 'Mačiau Beną prieš dvi dienas.'],
    ['tr', 'Bugün Ben ile buluştum.', 'Dün doktora gittim.', "İki gün önce Ben'i gördüm."],
    ['ca', 'Avui he anat al metge.', 'Ahir vaig veure en Ben.', 'Fa dos dies vaig veure en Ben.'],
    ['gl', 'Hoxe fun ao médico.', 'Onte vin a Ben.', 'Vin a Ben hai dous días.'],
    ['af', 'Ek het Ben vandag gesien.', 'Ek was gister by die dokter.', 'Ek het Ben twee dae gelede gesien.'],
    ['id', 'Bertemu Ben hari ini.', 'Kemarin ke dokter.', 'Bertemu Ben dua hari lalu.'],
    ['vi', 'Hôm nay gặp Ben.', 'Hôm qua đi khám bác sĩ.', 'Gặp Ben hai ngày trước.'],
    [
      'tl',
      'Nakita ko si Ben ngayon.',
      'Pumunta ako sa doktor kahapon.',
      'Nakita ko si Ben noong isang araw.',
    ],
    ['sw', 'Nilimwona Ben leo.', 'Nilienda kwa daktari jana.', 'Nilimwona Ben siku mbili zilizopita.'],
    ['sq', 'Sot takova Benin.', 'Dje isha te mjeku.', 'E pashë Benin dy ditë më parë.'],
    ['cy', 'Gwelais Ben heddiw.', 'Es i at y meddyg ddoe.', 'Gwelais Ben ddau ddiwrnod yn ôl.'],
    ['ru', 'Сегодня видел Бена.', 'Вчера был у врача.', 'Видел Бена два дня назад.'],
    ['uk', 'Сьогодні бачив Бена.', 'Вчора був у лікаря.', 'Бачив Бена два дні тому.'],
    ['el', 'Σήμερα είδα τον Μπεν.', 'Χθες πήγα στον γιατρό.', 'Είδα τον Μπεν πριν δύο μέρες.'],
    ['ar', 'قابلت بن اليوم.', 'ذهبت إلى الطبيب أمس.', 'رأيت بن قبل يومين.'],
    ['he', 'פגשתי את בן היום.', 'הייתי אצל הרופא אתמול.', 'ראיתי את בן לפני יומיים.'],
    ['hi', 'आज बेन से मिला।', 'कल डॉक्टर के पास गया।', 'दो दिन पहले बेन को देखा।'],
    ['th', 'วันนี้เจอเบน', 'เมื่อวานไปหาหมอ', 'เจอเบนเมื่อสองวันก่อน'],
    ['ja', '今日ベンに会った。', '昨日医者に行った。', '二日前にベンを見た。'],
    ['zh', '今天见了本。', '昨天去看了医生。', '两天前见了本。'],
    ['ko', '오늘 벤을 만났다.', '어제 병원에 갔다.', '이틀 전에 벤을 봤다.'],
  ])('texts of the language %s that depend on their day: false', (_language, ...texts) => {
    expect(texts.filter(isLasting)).toEqual([]);
  });

  it.each([
    [
      'Ada ma dwie kury.',
      'Ada har en båt.',
      'Ada ima mačku.',
      'Ada van egy kutyája.',
      'У Ады есть кот.',
      '卵がある。',
    ],
    ['Ben', 'Ben Ann', '5 km', 'ok', '', '👍', 'Ben: +49 30 1234'],
    ['Spiste is med Ben.', 'Mor er her.', 'Han har en katt.', 'Am fost la casa mare.', 'Me on ihan hyvin.'],
  ])('texts in a language without a table, or of which nothing tells the language: false', (...texts) => {
    expect(texts.filter(isLasting)).toEqual([]);
  });

  it('a long text: false', () => {
    const fact = 'Ben owns two cows. ';
    expect(isLasting(fact.repeat(100))).toBe(true);
    expect(isLasting(fact.repeat(20_000))).toBe(false);
  });
});
