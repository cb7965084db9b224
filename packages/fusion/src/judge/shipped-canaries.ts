/** A note, the same said otherwise, and something else said in almost the same words. */
export interface ShippedCanary {
  source: string;
  same: string;
  changed: string;
}

export const SHIPPED_CANARIES: readonly ShippedCanary[] = [
  {
    source: 'Ruben does not drive at night.',
    same: "Ruben doesn't drive at night.",
    changed: 'Ruben drives at night.',
  },
  {
    source: 'Petra may rent the cabin again if her sister joins her.',
    same: 'If her sister joins her, Petra may rent the cabin again.',
    changed: 'Petra may rent the cabin again.',
  },
  {
    source: 'Only Ilya has a key to the studio.',
    same: 'Nobody but Ilya has a key to the studio.',
    changed: 'Ilya has a key to the studio.',
  },
  {
    source: 'Noor lent Sven 40 euros.',
    same: 'Noor lent 40 euros to Sven.',
    changed: 'Sven lent Noor 40 euros.',
  },
  {
    source: 'Tariq plans to sell the van in spring.',
    same: 'In spring Tariq plans to sell the van.',
    changed: 'Tariq sold the van in spring.',
  },
  {
    source: 'Elin heard that the bakery is closing.',
    same: 'The bakery is closing, as Elin heard.',
    changed: 'The bakery is closing.',
  },
  {
    source: 'Some of the seedlings died because of the frost.',
    same: 'Because of the frost some of the seedlings died.',
    changed: 'The seedlings died because of the frost.',
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
    source: 'Jonas isst kein Fleisch.',
    same: 'Fleisch isst Jonas nicht.',
    changed: 'Jonas isst Fleisch.',
  },
  {
    source: 'Inés quizás venda la moto.',
    same: 'Quizás Inés venda la moto.',
    changed: 'Inés vende la moto.',
  },
  {
    source: 'Claire ne travaille pas le mercredi.',
    same: 'Le mercredi, Claire ne travaille pas.',
    changed: 'Claire travaille le mercredi.',
  },
];
