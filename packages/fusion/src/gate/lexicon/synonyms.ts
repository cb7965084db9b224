/**
 * Everyday words that are true equivalents in a note about a person's life: one class per line, its first word is the class's name. A
 * class holds only what can be exchanged without a change of fact; near synonyms ("hate" and "dislike") stay apart. Underscores join the
 * words of a phrase. Words are looked up by lemma, so a line needs base forms only.
 */
export const SYNONYMS = `
like enjoy love adore fond_of keen_on fan_of big_fan_of into_music fan enthusiast enjoyment fond
dislike not_like
hate loathe despise detest can't_stand cannot_stand hatred
prefer preference favor favour
favorite favourite preferred fave favorite_is
live reside residence residing resident dwell living
buy purchase bought
start begin commence beginning
finish complete completion
end terminate expire expiration expiry
child kid youngster
baby infant newborn
mother mom mum mommy mummy mama mam
father dad daddy papa pop
parent folks
grandmother grandma granny nana gran
grandfather grandpa granddad
brother bro
sister sis
sibling siblings
wife
husband hubby
spouse
partner significant_other
boyfriend bf
girlfriend gf
friend buddy pal mate
job position role post occupation profession
car automobile auto
bicycle bike cycle pushbike
motorcycle motorbike
phone telephone cellphone cell mobile smartphone cell_phone mobile_phone
movie film
tv television telly
fridge refrigerator
apartment flat
house home
couch sofa
elevator lift
vacation holiday holidays
trip journey
doctor physician gp doc dr
dentist
lawyer attorney solicitor
physiotherapist physio physical_therapist
vet veterinarian
pupil student
boss
colleague coworker co-worker workmate
company firm
shop store
grocery groceries
photo photograph picture pic
photography
photographer
medicine medication meds
tablet pill
physician
ill sick
illness sickness disease
injury injure hurt injured
pain ache
allergic allergy allergen allergic_to
intolerant intolerance
vegetarian veggie vegetarianism
vegan veganism
exercise workout work_out exercising
gym fitness_center fitness_studio
run jog running runner jogging
swim swimming swimmer
hike hiking hiker
climb climbing climber
dance dancing dancer
cook cooking
bake baking baker
paint painting painter
draw drawing
write writing writer author
read reading reader
sing singing singer
garden gardening gardener
fish fishing
camp camping
ski skiing skier
surf surfing surfer
travel traveling travelling traveler traveller
drive driving driver
teach teaching taught teacher instructor
learn learning learner
study studying studied
work working works worker
train training trained
meet meeting met
meeting
appointment appt
birthday born birth birthdate birth_date date_of_birth bday
anniversary
marry married marriage wed wedded
wedding
divorce divorced
engage engaged engagement
die pass_away passed_away death deceased died passed
move relocate relocation moving
leave depart departure departing
arrive arrival
fly flying flight
repair fix mend resolve
replace replacement
remove removal
delete deletion
create creation
develop development developer dev
design designer
engineer engineering
program programming programmer
code coding coder
manage management manager
lead leader leadership
direct director
own owner owned
rent rental lease_home
lease
borrow
lend loan_to
owe debt
pay payment paid
salary pay_check wage
earn earnings make_money
save saving savings
invest investment investor
expensive pricey costly
cheap inexpensive
big large
huge enormous
small little tiny
quick fast rapid quickly rapidly
slow slowly
begin
attempt try
help assist assistance aid
need require requirement necessary must need_to have_to has_to had_to required_to obligated supposed_to obliged
should ought recommend advise advised recommendation advice ought_to recommended
want wish would_like desire would_love 'd_like want_to wants_to wanna desired
hope
plan intend intention planning aim plan_to going_to_plan planned
will going_to gonna 'll
consider think_about thinking_about thinking_of think_of considering consideration mull
decide decision
might may maybe perhaps possibly possible could possibility
probably likely probable
uncertain unsure not_sure undecided not_certain
seem appear apparently seemingly appears
almost nearly
about approximately roughly around approx circa ca some_number
quit stop give_up cease gave_up stopped
nolonger no_longer not_anymore not_any_more no_more_now
usedto former formerly previous previously ex used_to past_time onetime
always all_the_time constantly
usually generally normally typically as_a_rule most_of_the_time usual normal
often frequently many_times frequent
sometimes occasionally at_times from_time_to_time once_in_a_while now_and_then every_so_often occasional
rarely seldom hardly_ever rare
regularly regular
everyother every_other every_second each_other_time
every each
all whole entire every_one all_of entirely
oneof one_of
allofthem all_of_them
most majority most_of mainly chiefly predominantly
many lot lots a_lot_of lots_of plenty_of numerous much plenty a_lot
several multiple a_number_of
few a_few a_handful_of handful
half
pair couple
filler i_should_mention i_should_add i_should_say i_want_to_mention i_wanted_to_mention i_forgot_to_mention i_forgot_to_say as_for by_the_way just_so_you_know so_you_know worth_noting as_you_know as_you_may_know keep_in_mind for_the_record in_fact of_course to_be_honest to_be_clear as_mentioned as_i_said as_noted you_know i_mean have_to_say must_say city_of suffer_from at_the_moment it_turns_out take_place good_to_know important_to_know
only solely exclusively nothing_but
except except_for apart_from other_than excluding aside_from save_for besides_except exception
without
because due_to because_of since_cause owing_to as_a_result_of thanks_to therefore thus hence so_that as_a_result consequently which_is_why that's_why cause reason caused_by leading_to resulting_in
if in_case provided_that as_long_as
unless
before prior_to ahead_of
after following_time afterwards
until till up_until
atleast at_least no_less_than no_fewer_than minimum_of a_minimum_of minimum min
atmost at_most no_more_than up_to a_maximum_of maximum maximum_of max
morethan more_than greater_than in_excess_of exceeding exceed above_number
lessthan less_than fewer_than below_number
instead instead_of rather_than in_place_of
again once_more
together
alone by_oneself
morning am_daypart
evening
night overnight nighttime
afternoon
weekend
weekday workday
breakfast
lunch luncheon
dinner supper
drink beverage
beer
coffee
tea
water
food
dish
dessert
meat
vegetable veg veggies
fruit
nut
peanut groundnut
shellfish
seafood
shrimp prawn
eggplant aubergine
zucchini courgette
cilantro coriander
candy sweets
cookie biscuit
soda soft_drink
spicy spice spiciness
sweet
dog doggo canine
cat feline kitty
pet
puppy pup
kitten
house_plant houseplant
school
university uni
college
kindergarten
preschool
class course lesson
degree
graduate graduation
exam examination test
homework
hospital
clinic
surgery operation operate
diagnose diagnosis diagnosed
treat treatment
therapy therapist
prescribe prescription
vaccine vaccination vaccinated vaccinate
glasses spectacles eyeglasses
headache
migraine
backache back_pain
sleep asleep
insomnia
tired fatigue
anxious anxiety
depressed depression
happy happiness
sad sadness
angry anger
afraid scared fear fearful frightened
nervous
important importance
serious severe seriously severely severity
strict strictly
strong strongly strength
weak weakness
computer pc
laptop notebook_computer
keyboard
monitor
database db
server
repository repo
professor prof
software_dev
environment env
configuration config configure
application app
documentation docs
production prod
kubernetes k8s
postgres postgresql
javascript js
typescript ts
deploy deployment
release
update
upgrade
install installation
migrate migration
authenticate authentication auth
authorize authorization
test testing
error
bug
password
email e-mail mail_electronic
website web_site site
online
internet
subscribe subscription subscriber
cancel cancellation canceled cancelled
order
deliver delivery
ship shipment shipping
receive
book reserve reservation booking
schedule timetable
postpone delay put_off
reschedule
invite invitation
visit
stay
call ring_up phone_up
talk chat conversation
speak speaker fluent_in
discuss discussion
argue argument
agree agreement
promise
remind reminder
celebrate celebration
present gift
party
event
concert gig
music musical
musician
guitar guitarist
piano pianist
violin violinist
cello cellist
drum drummer
instrument
play player
game gaming gamer
team
coach
soccer
football
basketball
baseball
tennis
volunteer volunteering
member membership
join
lose loss lost
find
miss
break broken
crash accident
fall
grow grown
plant
build building_act builder constructed construct construction
lock
insure insurance
tax
bank
account
credit_card
loan
mortgage
bill
invoice
budget
monthly every_month each_month per_month a_month
weekly every_week each_week per_week a_week
daily every_day each_day per_day a_day everyday
yearly annually annual every_year each_year per_year a_year
hourly every_hour per_hour an_hour
nightly every_night each_night
quarterly every_quarter
biweekly fortnightly every_two_weeks every_other_week
old age aged
young
older elder
younger
oldest eldest
tall height
weigh weight
long length
wide width
deep depth
hot heat
cold
warm warmth
clean cleaning cleaner
dirty
near close_to nearby next_to by_near not_far_from
far
between
outside outdoors outdoor
inside indoors indoor
abroad overseas
downtown city_center city_centre town_centre
neighborhood neighbourhood
neighbor neighbour
country
city
village
street st_street
road
address
office
kitchen
bathroom
bedroom
garage
basement cellar
attic
balcony
yard backyard
pool
organize organise organization organisation
realize realise
color colour
center centre
theater theatre
gray grey
licence license
program programme
travel
jewelry jewellery
tire tyre
catalog catalogue
favorite
analyze analyse analysis
specialize specialise specialist specialization
apologize apologise apology
recognize recognise recognition
practise practice
defence defense
enroll enrol enrolment enrollment
fulfil fulfill
skillful skilful
cosy cozy
mum
donate donation donor
produce production_make producer
sell sale seller
advise adviser advisor
hire recruit employ employment employed
fire lay_off laid_off
retire retirement retired
resign resignation
promote promotion promoted
apply application_job applicant
interview
negotiate negotiation
lead
supervise supervision supervisor
report
present_talk presentation
research researcher
science scientist scientific
chemistry chemist chemical
physics physicist
biology biologist biological
math mathematician mathematical
history historian historical
art artist artistic
journalism journalist
nurse nursing
pharmacy pharmacist
psychology psychologist psychological
architect architecture architectural
electric electrical electrician electricity
plumb plumber plumbing
account_book accountant accounting
farm farmer farming
police
chef
smoke smoking smoker
drinker
asthma asthmatic
diabetes diabetic
vegetarianism
religion religious
politics political politician
nation national
region regional
culture cultural
nature natural
environmental
digital
person individual people
man
woman
boy
girl
adult
teen teenager teenage
elderly
wake wake_up get_up
grow_up grew_up raised
pick_up
drop_off
fluent fluently
native
bilingual
language
accent
speak_native
hobby pastime
interest interested interested_in
collect collection collector
knit knitting
sew sewing
craft crafting
pottery
meditate meditation
yoga
pilates
marathon
race racing
compete competition competitive competitor
win winner victory
train_rail
commute commuter commuting
bus
subway metro
tram
taxi cab
ferry
plane airplane aeroplane aircraft
airport
ticket
passport
visa
luggage baggage
suitcase
hotel
hostel
campsite
beach
mountain
lake
sea
ocean
river
forest woods
island
sign_up register registration
accident
expect expectation
experience
worry worried
concern
struggle
avoid avoidance steer_clear_of stay_away_from
refuse refusal
reject rejection
deny denial
allow permission permit let
forbid prohibit
fail failure
succeed success successful successfully
pass
choose choice pick select selection
change
switch
convert conversion
transfer
send
bring
carry
wear
hold
keep
throw
open
close shut
charge
fill
empty
measure measurement
connect connection
separate separation
combine combination
compare comparison
contact get_in_touch_with reach
respond response reply answer
ask
request
suggest suggestion
prepare preparation
support
protect protection
prevent prevention
improve improvement
increase raise
decrease decline reduce reduction lower_verb
limit limitation restrict restriction
concise brief short
bulleted bullet bullet_point
detailed
formal formality formally
informal casual informally
verbose
simple simply_put
complex complicated complexity
difficult hard difficulty tough
easy easily
free
available availability
busy
full
main primary
second_job
part_time parttime
full_time fulltime
remote remotely
freelance freelancer freelancing
self_employed
unemployed jobless
intern internship
volunteer_work
certificate certification certified
degree_holder
phd doctorate ph.d
bachelor ba
master
`;
