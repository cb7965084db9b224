import { wordList } from './word-list.ts';

/** Nouns for people and animals that are told apart by their names, in the forms in which they stand before one. */
export const FOREIGN_KIN = wordList(`
  tochter töchter töchtern sohn sohnes söhne söhnen bruder brüder brüdern schwester schwestern mutter vater frau mann freund freundin freunde
  freundinnen partner partnerin kind kinder kindern neffe nichte onkel tante oma opa cousin cousine kollege kollegin kollegen chef chefin vermieter vermieterin trainer trainerin lehrer lehrerin hausarzt nachbar
  nachbarin hund hündin hunde hunden katze kater katzen pferd kaninchen enkel enkelin ärztin arzt zahnarzt mitbewohner mitbewohnerin
  fille filles fils frère frères sœur soeur sœurs mère père femme mari ami amie amis amies compagnon compagne enfant enfants neveu nièce oncle tante
  grand-mère grand-père collègue collègues voisin voisine chien chienne chiens chat chatte chats cheval lapin
  hija hijas hijo hijos hermano hermanos hermana hermanas madre padre esposa esposo marido mujer novio novia amigo amiga amigos amigas sobrino
  sobrina tío tía abuelo abuela primo prima colega jefe jefa vecino vecina perro perra perros gato gata gatos caballo conejo pareja
  figlia figlie figlio figli fratello fratelli sorella sorelle madre moglie marito amico amica amici compagno compagna nipote zio zia nonno nonna
  cugino cugina collega capo vicino vicina cane cani gatto gatta gatti cavallo coniglio fidanzato fidanzata
  filha filhas filho filhos irmão irmãos irmã irmãs mãe pai esposa namorado namorada amigo amiga amigos sobrinho sobrinha avó avô primo prima
  chefe vizinho vizinha cão cachorro cadela cachorros gatos cavalo coelho gerente
  dochter dochters zoon zonen zoons broer broers zus zussen moeder vader vrouw man vriend vriendin vrienden kind kinderen neef nicht oom opa oma
  collega buurman buurvrouw hond honden kat poes katten paard konijn baas
  córka córki córką córkę córce syn syna synem synowi brat brata bratem siostra siostry siostrę siostrą matka ojciec żona żony mąż męża przyjaciel
  przyjaciółka kolega koleżanka pies psa kot kota kotka sąsiad sąsiadka
  dotter dottern döttrar son sonen söner bror brodern bröder syster systern systrar mamma pappa fru man sambo vän kollega hund hunden hundar katt
  katten katter granne chef
  дочь дочери дочка сын сына сыну брат брата брату братья сестра сестры сестре сестру мать мама отец папа жена жены муж мужа друг друга подруга
  подруги коллега собака собаки кот кота кошка кошки сосед соседка начальник
  kızı oğlu kardeşi abisi ablası annesi babası eşi arkadaşı kızım oğlum kardeşim annem babam eşim köpeği köpeğim kedisi kedim
  ابنتي ابنته ابنتها ابني ابنه ابنها أخي أخوه أخته أختي أمه أبوه زوجته زوجتي زوجها صديقي صديقه قطتي قطته كلبه كلبي
  बेटी बेटे बेटा भाई बहन पत्नी पति दोस्त माँ पिता कुत्ता कुत्ते बिल्ली
`);
