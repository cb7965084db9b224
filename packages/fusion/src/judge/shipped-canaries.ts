/** A note, the same said otherwise, and something else said in almost the same words. */
export interface ShippedCanary {
  source: string;
  same: string;
  changed: string;
}

/** Whatever day each is said on, it loses none: it tells what lasts, or its own time. */
export const SHIPPED_CANARIES: readonly ShippedCanary[] = [
  {
    source: 'Ruben does not drive at night.',
    same: "Ruben doesn't drive at night.",
    changed: 'Ruben drives at night.',
  },
  {
    source: 'Petra always rents the cabin if her sister joins her.',
    same: 'If her sister joins her, Petra always rents the cabin.',
    changed: 'Petra always rents the cabin.',
  },
  {
    source: 'Only Ilya has a key to the studio.',
    same: 'Nobody but Ilya has a key to the studio.',
    changed: 'Ilya has a key to the studio.',
  },
  {
    source: 'On 3 May 2024 Noor lent Sven 40 euros.',
    same: 'Noor lent 40 euros to Sven on 3 May 2024.',
    changed: 'On 3 May 2024 Sven lent Noor 40 euros.',
  },
  {
    source: 'As of March 2024 Tariq planned to sell the van.',
    same: 'Tariq planned, as of March 2024, to sell the van.',
    changed: 'Tariq sold the van in March 2024.',
  },
  {
    source: 'In June 2024 Elin heard that the bakery was closing.',
    same: 'The bakery was closing, as Elin heard in June 2024.',
    changed: 'The bakery closed in June 2024.',
  },
  {
    source: 'Some of the seedlings died in May 2023 because of the frost.',
    same: 'Because of the frost some of the seedlings died in May 2023.',
    changed: 'The seedlings died in May 2023 because of the frost.',
  },
  {
    source: 'Goran waters the plants before breakfast.',
    same: 'Before breakfast Goran waters the plants.',
    changed: 'Goran waters the plants after breakfast.',
  },
  {
    source: 'Mila usually takes the bus to work.',
    same: 'Mila takes the bus to work as a rule.',
    changed: 'Mila always takes the bus to work.',
  },
  {
    source: 'Agnes was 46 years old on 1 March 2024.',
    same: 'On 1 March 2024 Agnes was aged 46.',
    changed: 'Agnes turned 46 on 1 March 2024.',
  },
  {
    source: 'Bela likes the sauna, but not the cold bath after it.',
    same: 'Bela likes the sauna but does not like the cold bath after it.',
    changed: 'Bela likes the sauna and the cold bath after it.',
  },
  {
    source: 'Tove visited her aunt in Bergen in 2021 and in 2023.',
    same: 'In 2021 and in 2023 Tove visited her aunt in Bergen.',
    changed: 'Tove visited her aunt in Bergen from 2021 to 2023.',
  },
  {
    source: 'Jonas isst kein Fleisch.',
    same: 'Fleisch isst Jonas nicht.',
    changed: 'Jonas isst Fleisch.',
  },
  {
    source: 'Wenn es regnet, fährt Silke nicht mit dem Rad.',
    same: 'Silke fährt nicht mit dem Rad, wenn es regnet.',
    changed: 'Silke fährt nicht mit dem Rad.',
  },
  {
    source: 'Inés no conduce la moto si llueve.',
    same: 'Si llueve, Inés no conduce la moto.',
    changed: 'Inés conduce la moto si llueve.',
  },
  {
    source: 'Claire ne travaille pas le mercredi.',
    same: 'Le mercredi, Claire ne travaille pas.',
    changed: 'Claire travaille le mercredi.',
  },
];
