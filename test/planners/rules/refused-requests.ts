/** Nothing of this may be planned: kinds of requests, one a line. */
const kinds: Readonly<Record<string, string>> = {
  denied: `
don't add milk to my list
do not clear my shopping list
please don't remove anything from my tasks
never delete my to-do list
you must not tick off the laundry
i did not ask you to empty my list
never mind my list
don't put eggs on there
do not mark the report as done
stop, don't wipe my todo list
whatever you do, do not touch my grocery list
i would rather you did not delete the dentist task
there is no need to add bread to my list
i never said to clear the shopping list
please do not remind me about the rent
do not complete the laundry task yet
you should not have removed milk from my list
leave my todo list alone
hold off on adding the plumber to my tasks
no, keep the milk on the list
can you not delete my tasks`,
  "already so": `
i already added eggs
milk was on my list yesterday
my sister cleared her list
i like making lists
i cleared my inbox this morning
we bought the milk on our list
she finished her tasks yesterday
the shopping list was empty when i looked
my list used to have forty items
you added eggs twice
i wonder why people keep lists
lists help me think
my brother deleted his todo app
the report was marked as done by my boss`,
  "about no object": `
delete everything
clear everything
remove all of it
get rid of it all
wipe it
erase that
take item off list
drop the item
mark it as done
rename it to oat milk
put that on my list
add this
add something to my list
remove something from my list
tick it off
cross that out
reopen it
move it to friday
clear it
clear that
clear
delete
delete the thing
delete that one
remove them
remove all
remove everything please
wipe everything
wipe it all out
erase it all
erase everything you have
empty it
empty that out
reset everything
start over
scrap it
scrap the whole thing
throw it away
throw everything out
get rid of that
get rid of those
nuke it
purge everything
undo that
drop it
cancel it
cancel everything
mark as done
mark that complete
complete it
complete that one
finish it
finish that
check it off
it is done
done with that
rename that
rename it
change it to something else
move that somewhere else
move it
update it
put it on there
put this on the list
put these on my list
add that one
add them all
add those to my list
add it as a todo
save that
save it for later
write that down
note that
remember this
remind me about it
remind me of that
show it
take it off
take that one off the list
take them off my list`,
  "about an unknown object": `
delete my account
cancel my dentist appointment
cancel the subscription
wipe my phone
remove my profile
erase my memory
finish the race
finish my sentence
cancel my membership
cancel the order
complete my purchase
clear the table
add note to PROP-2025-001: call back
finish the movie for me
clear my browser history
empty the trash on my desktop
remove the stain from my shirt
delete uncle joe from my contacts
add 20 dollars to my phone credit
add rick to the meeting
put the kettle on
put some music on
list all countries in africa
show me flights to lisbon
show me pictures of cats
read me the news
read my last email
check the weather
check my tire pressure
find a good pizza place
remind me what my name is
create a playlist for running
make a list of the best movies of 2019
update my address
change my password
move 50 dollars to savings
mark my emails as read
note that i am allergic to nuts in my health record
write a letter to the landlord
schedule a meeting with the team
set an alarm for six
start the dishwasher
open the garage
disband the task force
remove the task force from my calendar
add budget to PROP-2025-001
delete all my photos
delete every email from anna
clear my schedule
clear my throat
clear the cache
clear the air
clear the search history
empty my bank account
empty the recycle bin
rename my dog
move the couch to the bedroom
change the channel
add a filter to the photo
add me to the group chat
add a comment to the ticket
add salt to the soup
add subtitles to the movie
put my phone on silent
put the baby to bed
list all planets
list the presidents of france
show my bank balance
show my heart rate
show the weather radar
find my phone
find flights to oslo
search the news for elections
check my email
check the score of the game
look up the capital of peru`,
  "arithmetic without its numbers": `
what is 5 plus
multiply by
add these numbers
what is the square root
divide the number
half of it
what is the sum
how much is it in total
double it
subtract 4 from the population of france
five times the price of gold
what is 12 percent
add
plus three
divide by four
what is ten times
seven minus
the product of
square it
take the root of it
what percent
average of
a third of the pie
how much is the rent divided by us
the population of oslo plus the population of bergen
twice my salary
add my age to yours`,
  "numbers without arithmetic": `
my number is 555-1234
call 0800 12 34 56
it is 5:30
book a table for 2 at 8
a room from 2/28 to 3/1
flight 1182 on 5/6/2027
turn the volume up to 8
chapter 3 of the book
version 2.10.3
how old is someone born in 1984
how many people live in oslo
what happened in 1969
the score was 3-2
what is 10 downing street
play 99 red balloons
turn on lamp 2
my pin is 4821
i am 34 years old
gate b12
the meeting is in room 4.12
highway 101
call extension 221
windows 11
dial 911
a 3 star hotel
the top 10 songs`,
  "a result that is not there": `
add the result to my list
save the answer as a todo
put the total on my list
make the sum a task
multiply the result by 3
add that number to my list
subtract 2 from the answer
store the value
result
the result
add result as todo
add result to my list
add the answer to my todo list
put the answer on my shopping list
save it as a todo called result
make a task out of the total
remind me of the result
divide the total by four
take the previous answer and double it
half of the result
square the answer
add both answers
multiply both
the sum of the results
use that number as a todo
what is that plus 5
add 10 to that
double the last result
subtract it from 100
write the outcome on my list
store the sum as a task
show me the answer
round it
add the last total to my list
put that value into my todos`,
  "in two ways at once": `
delete the milk or the eggs
clear or delete my shopping list
show or clear my list
wipe the done ones from my office list and from my house list
mark the report as done or delete it
either add eggs or remove milk from my list
5 plus or minus 3
should i add milk to my list
what if i cleared my list
clear my list for today
delete my list of movies from netflix
reduce 80 by a quarter
how many ounces are in a gallon`,
  "another language": `
füge milch zu meiner liste hinzu
ajoute du lait à ma liste
añade leche a mi lista
lägg till mjölk
добавь молоко в список
was ist zwei plus zwei
mostra la mia lista
supprime le lait de ma liste
elimina la leche de mi lista
ajouter une tâche
牛乳をリストに追加して
把牛奶加到我的清单
أضف الحليب إلى قائمتي
zeig mir meine aufgaben
pokaż moją listę
dodaj mleko do listy`,
  nothing: `
hi
help
what can you do?
thanks
who are you
ok
list
tasks
todo
asdf qwer zxcv
🙂🙂🙂
what are you able to do
how does this work
good morning
good night
bye
nice
lol
no
yes please
maybe later
what now
never mind
i am bored
test
...
hello?
thank you so much
who made you
items
my`,
  "an exception": `
clear my list except milk
clear everything on my list except for the milk
mark everything but milk as done
delete milk, keep eggs
add milk but not eggs to my list
delete all my tasks excluding the urgent ones
delete all tasks from yesterday
delete every task that mentions bob
show my list without the milk`,
  "for everything at once": `
complete all my tasks
complete everything on my list
check off all tasks
move all my tasks to friday
postpone everything by a day
double my list
archive my list
assign all my tasks to bob`,
  "about several places": `
complete the first and the third
delete tasks 2 and 4
delete the last two items
mark the first three as done
delete both
mark both of them as done`,
  "taken back": `
i did the payment but it was reverted
add eggs, no wait, butter to my list
add eggs, actually butter to my list
add eggs, i mean butter, to my list
add eggs to my list, actually no
delete eggs, no, butter
delete milk. just kidding`,
  "for somebody else": `
ask bob to add milk to my list
tell bob to delete milk from my list
what does anna have on her list
my brother said i should add milk to my list`,
  "about todos that no title names": `
delete old tasks
delete the oldest task
delete high priority tasks
delete all urgent tasks
clear most of my list
delete half of my list
delete tasks tagged dairy
replace all milk with oat milk
mark milk as half done`,
  "about any one todo": `
delete one
take one off my list
check one off
complete one of my tasks
kindly remove one item from the list
delete item`,
  "only a time": `
remind me tomorrow
set a reminder for tomorrow
remind me at 5
schedule a task for saturday`,
  "a deed or a hint, no wish": `
i didn't say add bread
buy milk tomorrow
call mum tomorrow at 5
add milk if it isn't on my list
add eggs instead of milk
add what we discussed`,
  "half understood": `
add milk to my shopping list and my work list
set milk to high and eggs to low priority
show my list sorted by colour
add 2 and 3 to my list
put the fish in the freezer and set a timer
delete the first and third
complete the first and second
delete the first, second and third`,
};

/** The same by kind. */
export const refusedRequests: readonly (readonly [kind: string, requests: readonly string[]])[] = Object.entries(
  kinds,
).map(([kind, lines]) => [kind, lines.trim().split("\n")]);

/** The verb of an operation decides, whatever it is about: each with the operation and the title of its one step. */
export const plannedByTheirVerb: readonly (readonly [request: string, operation: string, title: string])[] = [
  ["remove PROP-2025-001", "delete", "PROP-2025-001"],
  ["complete order 1182", "complete", "order 1182"],
  ["complete PROP-2025-001", "complete", "PROP-2025-001"],
  ["mark PROP-2025-001 as done", "complete", "PROP-2025-001"],
  ["reopen TICKET-4711", "reopen", "TICKET-4711"],
  ["close JIRA-88", "complete", "JIRA-88"],
  ["delete INV-2024-17", "delete", "INV-2024-17"],
  ["wipe the counter", "delete", "counter"],
  ["erase the whiteboard", "delete", "whiteboard"],
  ["close the window", "complete", "window"],
  ["rename the file report.txt to final.txt", "update", "file report.txt"],
  ["move my meeting to friday", "update", "my meeting"],
  ["change my flight to friday", "update", "my flight"],
  ["delete the production database", "delete", "production database"],
  ["complete the payment", "complete", "payment"],
  ["complete the transaction", "complete", "transaction"],
];
