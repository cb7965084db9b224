/**
 * Ways of saying the very same thing, by language: the first of a line stands for the others, with "_" for a space. Only what is equal
 * everywhere stands here; what merely often means the same does not.
 */
const PHRASES: Readonly<Record<string, string>> = {
  de: `nicht auf_keinen_Fall unter_keinen_Umständen keinesfalls keineswegs auf_gar_keinen_Fall
nie niemals
täglich tägliche täglichen täglicher jeden_Tag pro_Tag am_Tag an_jedem_Tag
wöchentlich wöchentliche wöchentlichen jede_Woche pro_Woche
monatlich monatliche monatlichen jeden_Monat pro_Monat
jährlich jedes_Jahr pro_Jahr
werktags an_Werktagen unter_der_Woche wochentags
morgens jeden_Morgen
abends jeden_Abend
meistens meist zumeist meistenteils
normalerweise üblicherweise in_der_Regel gewöhnlich für_gewöhnlich
mindestens wenigstens zumindest
höchstens maximal nicht_mehr_als
ungefähr etwa circa ca. rund zirka
bisher bislang
nur lediglich bloß ausschließlich
vielleicht eventuell möglicherweise
sofort umgehend unverzüglich
zurzeit momentan derzeit gegenwärtig aktuell im_Moment
danach anschließend hinterher
kürzlich neulich
außer ausgenommen
zum_Beispiel z._B. z.B. beispielsweise
auch ebenfalls ebenso
insbesondere vor_allem
wegen aufgrund auf_Grund
deshalb aus_diesem_Grund
wenn falls sofern im_Falle_dass
fast beinahe nahezu`,
  fr: `chaque_jour quotidiens quotidien quotidiennes quotidienne tous_les_jours par_jour quotidiennement
chaque_semaine hebdomadaires hebdomadaire toutes_les_semaines par_semaine hebdomadairement
chaque_mois mensuels mensuel mensuelles mensuelle tous_les_mois par_mois mensuellement
chaque_année annuels annuel annuelles annuelle tous_les_ans par_an annuellement
chaque_matin tous_les_matins
chaque_soir tous_les_soirs
chaque_week-end tous_les_week-ends
sauf excepté hormis à_l'exception_de à_l'exception_du
seulement uniquement
environ à_peu_près
au_moins au_minimum
au_maximum maximum au_plus
à_partir_de dès
à_partir_du dès_le
parce_que car puisque à_cause_de en_raison_de
donc c'est_pourquoi du_coup par_conséquent
sinon faute_de_quoi
actuellement en_ce_moment
surtout notamment
peut-être éventuellement
habituellement d'habitude
souvent fréquemment
s'occupe_des se_charge_des
s'occupe_de se_charge_de
s'occupe_du se_charge_du
Docteur Dr Dr.
Madame Mme
Monsieur M.`,
  es: `cada_día diarios diarias diario diaria todos_los_días al_día por_día diariamente a_diario
cada_semana semanales semanal todas_las_semanas a_la_semana por_semana semanalmente
cada_mes mensuales mensual todos_los_meses al_mes por_mes mensualmente
cada_año anuales anual todos_los_años al_año por_año anualmente
por_la_hora la_hora por_hora a_la_hora
cada_noche todas_las_noches
cada_mañana todas_las_mañanas
solo sólo solamente únicamente
quizás quizá tal_vez a_lo_mejor
excepto salvo
aproximadamente más_o_menos
como_mínimo al_menos por_lo_menos
como_máximo como_mucho a_lo_sumo
actualmente ahora_mismo en_este_momento
de_momento por_ahora por_el_momento
porque ya_que puesto_que dado_que pues debido_a a_causa_de
poreso por_eso por_lo_tanto por_tanto así_que por_ello por_lo_que
nunca jamás
doctor Dr. Dr
doctora Dra. Dra
sobre_todo especialmente
colegio cole`,
  it: `ogni_giorno giornalieri giornaliere giornaliero giornaliera tutti_i_giorni al_giorno quotidianamente
ogni_settimana settimanali settimanale tutte_le_settimane alla_settimana settimanalmente a_settimana
ogni_mese mensili mensile tutti_i_mesi al_mese mensilmente
ogni_anno tutti_gli_anni all'anno
ogni_mattina tutte_le_mattine
ogni_sera tutte_le_sere
solo soltanto solamente unicamente
tranne salvo eccetto
circa più_o_meno
almeno come_minimo
al_massimo non_più_di
finora per_ora fino_ad_ora
perché poiché siccome a_causa_di per_via_di
quindi per_questo
attualmente al_momento in_questo_momento
soprattutto in_particolare
mattina mattino
dottor dott. dr. dr dottore`,
  pt: `todo_dia diários diárias diário diária todos_os_dias cada_dia por_dia ao_dia diariamente
toda_semana semanais semanal todas_as_semanas cada_semana por_semana semanalmente
todo_mês mensais mensal todos_os_meses cada_mês por_mês ao_mês mensalmente
todo_ano anuais anual todos_os_anos cada_ano por_ano anualmente
só somente apenas
exceto salvo
talvez quiçá
cerca_de aproximadamente mais_ou_menos
pelo_menos no_mínimo ao_menos
no_máximo até_no_máximo
atualmente neste_momento no_momento
porque pois já_que uma_vez_que por_causa_de devido_a
portanto por_isso
outros restantes
outras restantes`,
  nl: `dagelijks elke_dag iedere_dag per_dag
wekelijks elke_week iedere_week per_week
maandelijks elke_maand iedere_maand per_maand
jaarlijks elk_jaar ieder_jaar per_jaar
elke iedere
elk ieder
alleen slechts enkel uitsluitend
misschien wellicht mogelijk
behalve uitgezonderd
ongeveer circa ca. zo'n
minstens ten_minste tenminste minimaal
hoogstens maximaal ten_hoogste
tenzij behalve_als behalve_wanneer
omdat aangezien vanwege doordat
daarom daardoor dus
momenteel op_dit_moment
meestal doorgaans
vooral met_name`,
  ru: `каждый_день ежедневно
каждую_неделю еженедельно
каждый_месяц ежемесячно
каждый_год ежегодно
только лишь исключительно
возможно может_быть
примерно около приблизительно
кроме за_исключением
таккак потому_что так_как поскольку из-за
сейчас в_настоящее_время
минимум как_минимум не_менее
максимум не_более`,
  pl: `codziennie każdego_dnia dziennie
co_tydzień każdego_tygodnia tygodniowo
co_miesiąc każdego_miesiąca miesięcznie
tylko jedynie wyłącznie
może być_może
ponieważ bo gdyż z_powodu
oprócz poza z_wyjątkiem`,
  sv: `varje_månad per_månad i_månaden månatligen
varje_vecka per_vecka
varje_dag per_dag dagligen
bara endast enbart
kanske eventuellt
eftersom därför_att
cirka ungefär ca`,
  tr: `her_gün günlük
her_hafta haftalık
her_ay aylık
sadece yalnızca`,
};

type Rewrite = readonly [RegExp, (found: string) => string];
const COMPILED = new Map<string, readonly Rewrite[]>();

/** What each phrase is rewritten to; a capital at its start stays one. */
export function phrasesOf(code: string): readonly Rewrite[] {
  const known = COMPILED.get(code);
  if (known) return known;
  const rewrites = (PHRASES[code] ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Rewrite => {
      const [canonical, ...others] = line.split(' ').map((phrase) => phrase.replaceAll('_', ' '));
      const words = others
        .sort((one, other) => other.length - one.length)
        .map((phrase) => phrase.replaceAll('.', '\\.'));
      const pattern = new RegExp(`(?<![\\p{L}\\p{M}-])(?:${words.join('|')})(?![\\p{L}\\p{M}-])`, 'giu');
      return [
        pattern,
        (found) =>
          /^\p{Lu}/u.test(found) && found !== found.toUpperCase()
            ? canonical![0]!.toUpperCase() + canonical!.slice(1)
            : canonical!,
      ];
    });
  COMPILED.set(code, rewrites);
  return rewrites;
}
