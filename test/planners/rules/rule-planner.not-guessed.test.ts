import { describe, expect, it } from "vitest";
import { createCalculator, createRulePlanner, createTodoStore } from "../../../src/index.ts";

/** Nothing of this may be planned, neither by phrases nor by what was learned. */
const requests: Readonly<Record<string, string>> = {
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
stop, don't wipe my todo list`,
  "already so": `
i already added eggs
milk was on my list yesterday
my sister cleared her list
i like making lists`,
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
move it to friday`,
  "about an unknown object": `
delete my account
clear the table
add note to PROP-2025-001: call back
remove PROP-2025-001
delete the task force
complete the payment
complete order 1182
finish the movie for me
clear my browser history
empty the trash on my desktop
remove the stain from my shirt
delete uncle joe from my contacts
cancel my dentist appointment
cancel the subscription
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
search for cheap hotels
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
open the garage`,
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
what is 12 percent`,
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
play 99 red balloons`,
  "a result that is not there": `
add the result to my list
save the answer as a todo
put the total on my list
make the sum a task
multiply the result by 3
add that number to my list
subtract 2 from the answer
store the value`,
  "another language": `
füge milch zu meiner liste hinzu
ajoute du lait à ma liste
añade leche a mi lista
lägg till mjölk
добавь молоко в список`,
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
🙂🙂🙂`,
};

const tools = [createCalculator(), createTodoStore()] as const;
const planner = createRulePlanner();
const { signal } = new AbortController();

describe.each(Object.entries(requests))("a request that is %s", (_, lines) => {
  it.each(lines.trim().split("\n"))("%s", async (request) => {
    const planned = planner.plan({ request, tools, maxSteps: 10, signal, nowMs: 0, timeZone: "UTC" } as never);
    await expect(planned).rejects.toMatchObject({ code: "cannot-plan" });
  });
});
