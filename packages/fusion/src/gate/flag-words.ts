import { words } from '../reading/languages/language.ts';

/**
 * Words that change what stands near them, by kind and language: a statement that has one where its source has none may say something else.
 * They are never function words, and they tell which statements need two votes.
 */
export type FlagKind = 'negation' | 'quantity' | 'modality' | 'condition' | 'cause' | 'comparison' | 'tense';

const kinds = (lists: Record<FlagKind, string>): ReadonlyMap<string, FlagKind> =>
  new Map(
    Object.entries(lists).flatMap(([kind, list]) => [...words(list)].map((word) => [word, kind as FlagKind])),
  );

const FLAGS: Readonly<Record<string, ReadonlyMap<string, FlagKind>>> = {
  en: kinds({
    negation: 'not no never none nobody nothing neither nor without cannot except',
    quantity:
      'only just all every each some any both either most many few several always usually often sometimes rarely almost about',
    modality:
      'may might can could must shall should will would need needs want wants plan plans hope hopes likely maybe perhaps probably possibly said says heard thinks',
    condition: 'if unless whether until while when provided otherwise',
    cause: 'because since so therefore due',
    comparison: 'more less than better worse before after earlier later',
    tense: 'was were had did used again still already yet longer anymore',
  }),
  de: kinds({
    negation: 'nicht nie niemals kein keine keinen keiner keinem keines nichts niemand ohne weder außer',
    quantity:
      'nur alle alles jeder jede jedes jeden einige manche beide meist meistens viele wenige immer oft manchmal selten fast etwa',
    modality:
      'kann könnte muss müsste soll sollte will würde wird werden darf vielleicht wahrscheinlich möglicherweise angeblich möchte plant hofft',
    condition: 'wenn falls sofern ob bis sobald sonst',
    cause: 'weil da deshalb daher wegen denn',
    comparison: 'mehr weniger als besser schlechter vor nach früher später',
    tense: 'war waren hatte hatten wurde wurden wieder noch schon mehr',
  }),
  fr: kinds({
    negation: "pas jamais aucun aucune rien sans ni non plus n'est sauf",
    quantity:
      'seulement tout tous toute toutes chaque quelques certains deux plupart beaucoup peu toujours souvent parfois rarement presque environ',
    modality: 'peut pourrait doit devrait veut voudrait va sera serait probablement selon espère prévoit',
    condition: 'si sauf quand lorsque sinon',
    cause: 'parce car donc puisque cause',
    comparison: 'plus moins que mieux avant après',
    tense: 'était étaient avait avaient encore déjà',
  }),
  es: kinds({
    negation: 'no nunca jamás ningún ninguno ninguna nada nadie sin tampoco salvo excepto',
    quantity:
      'solo sólo todo todos toda todas cada algunos algunas ambos mayoría muchos pocos siempre suele a_menudo veces casi unos',
    modality:
      'puede podría debe debería quiere quisiera va será sería quizás tal_vez probablemente espera planea',
    condition: 'si salvo cuando mientras hasta',
    cause: 'porque pues así debido',
    comparison: 'más menos que mejor peor antes después',
    tense: 'era eran fue fueron había todavía aún ya',
  }),
  it: kinds({
    negation: 'non mai nessun nessuno nessuna niente nulla né senza tranne',
    quantity:
      'solo soltanto tutto tutti tutta tutte ogni alcuni alcune entrambi maggior molti pochi sempre spesso talvolta quasi circa',
    modality: 'può potrebbe deve dovrebbe vuole vorrebbe sarà sarebbe forse probabilmente spera prevede',
    condition: 'se quando finché purché',
    cause: 'perché quindi poiché causa',
    comparison: 'più meno che meglio peggio prima dopo',
    tense: 'era erano aveva ancora già',
  }),
  nl: kinds({
    negation: 'niet nooit geen niets niemand zonder behalve',
    quantity:
      'alleen alle alles elke elk ieder iedere sommige beide meeste veel weinig altijd vaak soms zelden bijna ongeveer',
    modality: 'kan kon moet zou zal wil mag misschien waarschijnlijk hoopt',
    condition: 'als indien tenzij wanneer tot',
    cause: 'omdat want dus daarom wegens',
    comparison: 'meer minder dan beter slechter voor na',
    tense: 'was waren had hadden werd werden weer nog al',
  }),
  pt: kinds({
    negation: 'não nao nunca nem sem nenhum nenhuma ninguém nada exceto',
    quantity:
      'só somente apenas todo todos toda todas cada alguns algumas ambos maioria muitos poucos sempre vezes quase cerca',
    modality: 'pode poderia deve deveria quer vai será seria talvez provavelmente espera planeia planeja',
    condition: 'se quando enquanto até caso',
    cause: 'porque pois portanto devido',
    comparison: 'mais menos que melhor pior antes depois',
    tense: 'era eram foi foram tinha ainda já',
  }),
};

/** What kind of flag a folded word is in a language (ISO 639-1) or in English, for which short texts are easily not taken; null for none. */
export function flagKindOf(word: string, language: string): FlagKind | null {
  if (word.endsWith("n't") || word.startsWith("n'")) return 'negation';
  return FLAGS[language]?.get(word) ?? FLAGS.en!.get(word) ?? null;
}
