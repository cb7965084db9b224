/**
 * Words of a note and the everyday words that may stand for them in a summary. Unlike a class of synonyms a line says nothing of a third word:
 * "back" may be "return" and "return" may be "send back", but "back" is no "send back". Entries of a line are divided by "=" and may stand for
 * each other, all of them both ways; with ">" only what stands before may become what stands behind. A word is looked up by lemma, with all
 * its forms and synonyms; words of a phrase may have others between them ("picks the kids up").
 *
 * Only what can be exchanged without a change of fact, degree, certainty or of who does what: "hate" and "dislike", "rent" and "own",
 * "prescribe" and "recommend" are no entries. What is narrower may become what is wider only where the rest of the sentence still tells it.
 */
export const REPLACEMENTS = `
# to get, to give, to move things
pick up = collect = fetch
drop off > bring = take
pay back = repay = refund = return
give back = return = hand back
come back = return = get back
go back = return = get back
bring back = return
send back = return
gain back = regain
put back > return
buy = get = acquire
obtain = get
sell off > sell
hand in = submit = turn in
hand over = give = pass on
pass on > give
throw away = throw out = discard = bin = dump
give away > donate = give
put aside = set aside = save = put away
set up = install = configure
put in = install = insert
put up > hang
put > place
place > put
contribute = put = chip in = pay
ask = request
ask for = request
return = back
arrive = come
arrive > get
reach > get
deliver > bring
bring = take along = carry
bring along > bring
carry = bring
hold = have
keep = store
keep = hold
keep = stay = remain
stay = remain
leave over > remain
look after = care for = take care = mind
look for = search = seek = hunt
search = hunt
find out = learn = discover
discover = find
work out = figure out
figure out > solve
sort out = resolve = settle
clear up > resolve
fix = sort
repair = mend
look at > examine = check = inspect
check = examine = inspect = look over
inspect = examine
check = verify
verify = confirm
see = meet
appointment = see
visit = go see
hear > listen
show = display
show = present
present > give
give > offer
offer = propose
suggest = propose
propose > suggest
hand = give
get > receive
# to begin, to end, to happen
start = begin = take up
take up = begin
kick off = start = begin
launch = start
go live > launch
roll out = rollout = release = deploy
rollout > release
end = finish = conclude
end = stop
end = over
finish = done
complete = done
wrap up = finish = end
run out = expire = end
expire = end
lapse = expire
last = run = go on
last = take
take = last
go on = continue = carry on
continue = keep on = carry on
go ahead = proceed
happen = occur = take place
call off = cancel
move = shift
move = relocate
push back = postpone = move
bring forward > move
put off = postpone
reschedule > move
pick = choose = select = opt
go for > choose = pick
opt > choose = pick
# to say and to think
say = explain
state = say
reply = answer = respond
get back > answer = reply
hear back > answer = reply
write = send
write > text
text = message
message > write
phone = ring = call
ring = call
ring = phone
give a ring > call = phone
call = phone
chat = talk
talk = speak
talk > presentation = lecture
give a talk = speak = present
lecture > talk
presentation = talk
point out = mention = note
bring up = mention = raise
raise > mention
tell off > scold
complain > grumble
thank > thanks
apologise > sorry
remind = prompt
warn = caution
notify = alert = inform = let know
let know = inform = notify = tell
inform > tell
alert = notification = warning
believe = think
find = think
reckon = think
feel = think
notice = see = observe
realise = notice
keep in mind = remember
look forward > await = excited
await > wait
# home and house
house = home
flat = home
residence = home
room mate = flatmate = housemate = roommate
roommate = flatmate = housemate
move in = move
couch = settee = sofa
sofa = settee
cupboard = closet = wardrobe
closet = wardrobe
tap = faucet
rubbish = trash = garbage = waste
bin = trash can
vacuum = hoover
washing machine = washer
dryer = tumble dryer
dishwasher = dish washer
stove = cooker = hob = range
oven > cooker
freezer > deep freeze
curtain = drape
blind > shade
lamp = light
heating = heater = radiator
boiler = water heater
leak = drip
repairman = handyman
contractor = builder
renovate = redo = refurbish = remodel = redecorate
refurbish = renovation
tidy = clean
tidy up = clean up
clean up = clean
wash = clean
wash up > dish
laundry = washing
bedroom > room
lounge = living room = sitting room
ground floor = first storey
floor = storey = level
rent = lease
tenant = renter
deposit = down payment
furniture > furnishing
neighbour = next door
# money
invoice = bill
bill = charge
charge = fee = cost
fee = cost = price
fee = charge
price = cost
fine = penalty
speeding ticket = speeding fine
parking ticket = parking fine
ticket > fine
salary = pay = wage = earnings
pay = wage
go up = rise = increase = raise = climb
rise = climb = grow
come down = drop = fall = decrease
go down = drop = fall = decrease
drop = fall = decrease
cut = reduce = lower = trim
lower = reduce
cut down = reduce = cut back
cut back = reduce
drop > lower
cap = limit = ceiling = maximum
limit = cap = restrict
budget = spending limit
money = fund = funds
savings = money saved
savings account > savings
pot = fund = kitty
instalment = payment = installment
installment = payment
rest = remainder = balance
remainder = remaining
outstanding = open = unpaid
outstanding = owe
discount = off = reduction
reduction = off
discount = price cut
refund = money back = reimbursement
reimburse = pay back = refund
expense = cost = spending
spend = pay
spend = cost
split = share
split = divide
divide = share
total = altogether = overall
amount = sum
sum = total
donate = give
earn = make
earn > get
income = earnings
debt = owe
tax return > taxes
insurance policy = insurance
contract = agreement
# work
job = post = role
job = work
position = role
staff = team
employ people = employees
recruit = take on
take on = hire
lay off = let go
colleague = teammate = team mate
client = customer
firm = business = company
business = company
workplace = work
shift = duty
night shift = night
day shift = day
overtime > extra hours
off = free
session = lesson
workshop = session
offsite > retreat
due = deadline
plan = schedule
agenda > schedule
task > todo
handle = deal = manage = take care
handle = do
deal = handle
take care of = handle = look after
responsible = in charge
charge of = responsible
sign off = approval
arrange = organise = set up
organise = set up
reject = turn down = decline
turn down = refuse
decline = turn down
apply = application
candidate = applicant
cv = resume
present = show
slide = presentation
paperwork = papers = documents
compose = write
edit = revise
revise = change
rewrite = revise
type up > write
finalise = finish
review = check = go through = look over
go through = check = read
feedback = comment = remark
comment = remark
note = write down = jot
write down = note = record
record = document
record = log
log = note
print = print out
copy = duplicate
send = mail = post
mail = post
send out = send
forward > send
attach > include
publish = release = post
post = publish
article = post = piece
# computers
run = execute
run = use
run on > use
host = run
server = machine
machine = computer
box = server = machine
computer = machine
disable = turn off = switch off = off
enable = turn on = switch on = on
turn off = switch off = shut off
turn on = switch on
shut down = turn off = switch off
switch off = off
switch on = on
disabled = off
enabled = on
crash = go down
down = offline
back up = backup
log in = login = sign in
sign in = login
sign up = enrol = register = join
enrol = join
subscribe = sign up
unsubscribe = cancel
migrate > transfer
transfer = move
bug = error = defect = fault
error = fault = mistake
mistake = fault
fault = wrong
issue = problem = trouble
problem = trouble
issue = bug
break down = break = fail
out of order = break
broken = out of order = defective
damage = harm
down = drop
delete = erase = wipe = remove
remove = take out = take off
add = include
add = put in
include = contain
contain = hold
create = make = set up
make = build
make = prepare
prepare = make
build = construct
generate = create = produce
produce = make
use = employ = utilise
utilise = use
store = keep
save = store = keep
fetch = retrieve = get
load > fetch
reach = contact
get in touch = contact = reach
verify = check
try out = test = try
try = attempt
rerun = run again
restart = reboot
slow > sluggish
app = program = software
software = program
site = website
web page = page
link = url
settings = configuration = preferences
default > standard
standard = default
screen = display = monitor
display = monitor
folder = directory
repo = repository
version = release
ticket = issue
# health
ill = unwell = poorly = sick
hurt = ache = sore = painful
hurt = pain
ache = sore
injury = wound
injure = hurt
tear = rip
break = fracture
fracture = broken bone
swelling > swollen
operation = surgery = procedure
surgery = procedure
operate = surgery
check-up = checkup = check = examination
examination = check
blood test = blood work = bloods
shot = jab = injection
injection = jab
dose = dosage
medicine = drug = medication
medication = drug
take = on
prescription = script
prescribe > put on
therapist = counsellor
recover = heal = get better
get better = improve
better = improve
get worse = worsen = deteriorate
worsen = worse
feel low = feel down = sad
low = down
stressed > under stress
symptom > sign
trigger = cause = set off = bring on
trigger = give
cause = give
react = reaction
tolerate = handle
weight = weigh
put on weight = gain weight
gain = put on
lose = shed
lighter = lose
slim = lose weight
skip = miss = leave out
miss = skip
birth = born
give birth = born = have a baby
pregnant = expecting
deaf = lost hearing
# food and drink
meal = food
dinner = evening meal
lunch = midday meal
cook = make = prepare
bake = make
recipe = dish
eat = have
drink = have
eat out = restaurant meal = dine out
eat out > restaurant
dine = eat
supper = evening meal
starter = appetiser
portion = serving = helping
leftover = rest
taste = flavour
flavour = tasting
pudding = dessert
chips = fries
crisps = chips
fizzy water = sparkling water
booze = alcohol
coffee = cup of coffee
grocery = food shopping
grocery shop = supermarket
supermarket = store
kibble = dry food
# family and people
kid = little one
wedding = marry
wed = marry
get married = marry = wedding
get hitched = marry
split up = break up = separate
break up = separate
engagement > engaged
relative = family member
guest = visitor
guest = people
attendee = participant = guest
participant = people
babysitter = sitter = nanny
go out = date
be together = date
friend = mate
close friend = good friend
meet up = meet = get together
get together = meet
hang out = spend time = meet
invite = have over = ask
visit = come
stay over = sleep over = spend the night
call round = visit
come over = visit
# animals
dog = pup
leash = lead
lead = leash
neuter = spay = castrate
vet = animal doctor
rescue = shelter
adopt = take in
feed = food
# school and learning
class = lesson = course
learn = study
enrol = sign up
exam = test
pass = succeed
grade = mark = score
result = outcome
practise = rehearse = train
rehearse = practice
revise = study
homework = assignment
term = semester
kindergarten = nursery = daycare = preschool
nursery = daycare
graduate = finish
thesis = dissertation
paper = article
pupil = schoolchild
schoolchild = student
# travel
trip = journey = travel = tour
plan a trip = travel plan
go away = travel
travel = go
drive = go by car
fly = go by plane
fly = flight
train = rail
plane = flight
car = vehicle
bike = bicycle
cycle = ride
ride = cycle
walk = go on foot
walk > stroll
stroll = walk
hike up = climb
climb = ascend
go down = descend
way down = descend = descent
there and back = return = round trip
return = round trip
set off = leave = depart
depart = set off
luggage = bags
suitcase = case
bag = luggage
carry-on = hand luggage
book = reserve
reservation = booking
place = home
fare = price
route = way
centre = downtown
commute = travel
parking space = parking spot = car park
petrol = gas = fuel
gas = fuel
tyre = tire
car service > garage
licence = permit
permit = permission
scenic > beautiful
view = outlook
# free time
hobby = interest = pastime
film = movie
movie = picture
episode > part
book = novel
novel = book
read = reading
gig = concert
perform = play
play = perform
band = group
song = track
record = album
vinyl = record
game = match
match = game
play = match
win = beat
beat = defeat
defeat = win
league > division
training = workout
work out = exercise = train
exercise = train
jog = run
swimming = swim
ball game > game
shoot = photograph = take photo
photograph = picture
picture = image
image = photo
draw = sketch
sketch = drawing
craft = make
party = celebration
throw a party = party = celebrate = have a party
hold a party = party = throw a party
celebrate = party
birthday party = birthday celebration
present = gift
gift = give
a gift from = give
join = member = belong
member = belong
choir > singing group
garden = gardening
allotment = garden
grow = raise
# time and place
back = return
near = close
close by = near
next to = beside = alongside
beside = by
across from = opposite
in front > before
behind > back
above > upstairs
upstairs = upper floor
downstairs = lower floor
elsewhere = everywhere else = somewhere else
everywhere else = elsewhere
early = first thing
morning = am
late = behind
later = after
soon = shortly
shortly = soon
at once = immediately = right away = straight away
immediately = right away = straight away = instantly
right now = currently = moment
for now = temporarily = present
for good = permanently
permanent = for good
temporary = for a while
at first = initially = originally
initially = first
originally = first
in the end = finally = eventually
finally = eventually
in advance = beforehand = ahead = early
beforehand = before
up front = in advance
on time = punctual
delay = late
late = delayed
delayed = behind schedule
noon = midday
day = date
date = day
launch date > launch
start date = start
end date = end
half day > half
period = time
while = time
moment = time
instant > moment
so far = yet = to date = until now
far = yet
far = date
onward = on
# manner and quality
big = great
large = great
tiny = very small
lengthy = long
brief = short
quick = fast
swift = fast
rapid = swift
calm = peaceful
silent = quiet
loud = noisy
bright = light
pretty = beautiful = lovely
beautiful = lovely
nice = lovely = pleasant
good = well
good = fine
well = fine
great = excellent = wonderful
excellent = superb
terrible = horrible
bad = poor
badly = poorly
worn = worn out
used = second-hand = secondhand = second hand = pre-owned
secondhand = second hand
original = first
main = chief = principal
major = big
key = main
correct = right
right = accurate
incorrect = wrong = mistaken
false = wrong
odd = strange = weird
strange = weird
usual = normal
ordinary = normal
whole = complete
complete = full
complete = entire
entire = whole
empty = blank
extra = additional = more
additional = more
further = additional = more
various = different
different = other
same = identical
similar = alike
exact = precise
precise = accurate
certain = sure
clear = obvious
plain = simple
simple = easy
easy = simple
tough = hard
challenge = difficulty
struggle = difficult = hard
struggle = hard
trouble = difficult
careful = cautious
strict = rigid
friendly = kind
polite = courteous
shy = timid
glad = happy = pleased
pleased = happy
satisfied = content
annoyed = irritated
scared = frightened
keen = eager = enthusiastic
handy = useful
useful = helpful
helpful = of help
dear = expensive
costly = pricey
stuck = trapped
worn out = finished
# amounts and relation
consist = made
made from = based
base = made
based = made
made of = from
made from = from
about = concern = regard
concern = involve
piece = bit
bit = little
a bit = slightly = a little
slightly = little
double = twice
twice = double
lot = great deal
as well = too
as well as = both
together with = along
along = accompanied
accompany = go with
accompany = come with
instead = in place
besides = apart
based in = located
located = based
across = throughout
through = via
via = using
toward = in direction
opposite = across
# objects
shoe > footwear
trainers = sneakers
jumper = sweater = pullover
pants = trousers
mobile = phone
cable = cord = lead
plug = socket
torch = flashlight
notebook = notepad
pen > biro
envelope > letter
parcel = package
package = packet
crate = box
case = box
bag = sack
jar = pot
bottle = flask
cup = mug
tool > equipment
gear = equipment = kit
kit = set = equipment
device = gadget = appliance
appliance = machine
machine = device
blanket = throw
# and more
deadline = due
approve = sign off = okay
carer = caregiver
pay rise = raise
rise = increase
raise = increase = put up
put up = increase
raise = put price up
lost = missing
cover = pay for
cover = pay
hire = recruit
fine = okay
employ people > employees
reachable = contact
team = group
session = class = lesson
migrate = move
remove > take off
reading = measure = value
extend = prolong
smell = odour
noise = sound
hall = hallway = corridor
corridor = hallway
ground = soil
wood = timber
trash = rubbish
aim = goal = target
goal = target = objective
objective = aim
purpose = aim
target = aim
result = finding
shortlist = short list
chance = opportunity
opportunity = occasion
method = way
rule = regulation
choice = pick = selection
option = choice
alternative = option
advice = tip
tip = hint
hint = clue
help = hand
hand = help
assist = support
protect = guard
watch over = guard
rely = depend = count on
count on = depend
trust = rely
ready = prepared
close down = shut = close
shut = close
lock up = lock
wide awake = awake
fall asleep = go to sleep
go to bed = sleep
sleep in > lie in
wake = get up = rise
get dressed = dress
haircut = hair cut
hair appointment = haircut
wet = damp
damp = moist
soak = steep
cut up = chop = slice
chop = cut
slice = cut
mix = stir = blend
stir = blend
heat up = warm up = heat
warm up = reheat
freeze = put in freezer
serve = dish up
drip = dribble
tight = narrow
spacious = roomy
neat = tidy
untidy = messy
messy = dirty
sketchbook = sketch pad
rent out = let
let = allow = permit
forbid = ban = prohibit
ban = bar
queue = line
line up = queue
gather = meet = assemble
assemble = put together
put together = build = make
take apart = dismantle
pull out = withdraw
withdraw = take out
step down = resign
fill out = fill in = complete
fill in = complete
tick off = check off
cross off = remove
add up = total
roughly = more or less
lend = loan
sensitive > sensitivity
bother = annoy
annoy = irritate
worry = concern
concern = worry
calm down = relax
relax = unwind = rest
interrupt = disturb
disturb = bother
spoil = ruin
destroy = wreck
`;
