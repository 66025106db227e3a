/*
 * What people say around what they want. It belongs to no tool, so the planner removes it for all of them. If a phrase
 * has such words itself, they are matched there, as that costs less.
 */

/** Before it. */
export const courtesiesBefore = `
please | pls | plz | kindly | just | now | so | well | hey | hi | hello | hey there | hi there | good morning | good evening
ok | okay | alright | all right | right | great | cool | thanks | thank you | oh | um | uh | hmm | yes | yeah | sure | also | too
can you | could you | would you | will you | can we | could we | can i | could i | may i | can you please
can you help me | could you help me | help me | help me to | help me with | i need help with | help with | i need some help with | do me a favor and | are you able to | is it possible to | is there a way to | you can | you could | you should | you may
would you mind | mind telling me | mind showing me | would you mind telling me | would you mind showing me | would you mind giving me | would you be able to | would you be so kind as to | do you mind | do you think you could | be so kind as to
i want you to | i need you to | i would like you to | i want to | i wanna | i need to | i would like to | i would love to | i wish to | i have to | i have got to
i am going to | i am trying to | i was wondering if you could | i wonder if you could | i was hoping you could | i would appreciate it if you could
i want | i need | i would like | let us | let me | go ahead and | go on and | be sure to | make sure to | make sure you | make sure that you | you need to | i need you | i want you | i am asking you to | try to | remember to
alexa | siri | cortana | olly | jarvis | ok google | okay google | hey google | google | actually | my dear | dear | assistant | buddy | friend | computer | bot | if you can | if you could | if possible | when you can | for me | quickly | quick | one more thing
two things | three things | a few things | a couple of things | do two things | do two things for me | first | firstly | first of all | first off | to begin with | to start with | to start | start by | begin by | start with | begin with | start off with | second | secondly | third | thirdly | fourth | fifth
next | finally | lastly | last of all | at last | in the end | then | after that | afterwards | and | at the end | in addition | additionally | besides that | once done | once that is done | when that is done | when you are done | after you are done
tell me | show me | give me | get me | let me know | let me hear | let me see | i want to know | i need to know | i would like to know | do you know | do you happen to know | find out | figure out | check | work out
what is | what are | what was | how is | what about | how about | tell me what is | i wonder
the | a | an | my | quick question | question
`;

/** After it. */
export const courtesiesAfter = `
please | pls | plz | thanks | thank you | thanks a lot | thank you very much | thank you so much | many thanks | thx | ty | cheers | ta
for me | for us | would you | will you | could you | can you | if you can | if you could | if you would | if possible | if you do not mind | when you can | when you get a chance | when you have a moment | when you have time
right now | now | right away | immediately | asap | as soon as possible | quickly | at once | real quick | this time
too | as well | also | again | afterwards | at the end | at last | after that | in the end | ok | okay | alright | all right | right | then | instead | though | buddy | dear | first
`;

/** With nothing else in the clause. */
export const courtesiesAlone = `
please | pls | plz | thanks | thank you | thanks a lot | thank you very much | thank you so much | many thanks | thanks in advance | thank you in advance | thx | ty | cheers
hey | hi | hello | hey there | hi there | hello there | good morning | good afternoon | good evening | ok | okay | alright | all right | great | cool | perfect | well | so | now
first | first of all | firstly | second | secondly | third | thirdly | fourth | fifth | then | finally | lastly | next | also | if you can | if you could | if possible | if you do not mind | would you | will you | can you | could you | right now | for me | that is all | that is it
`;

/** What asks for nothing that a tool could do: it is answered with what can be asked for. */
export const smallTalk = `
help | help me | help please | i need help | i need some help | can you help | can you help me | could you help me | can i get some help | how can you help | how can you help me | what can you help me with | what can you help with
what can you do | what can you do for me | what can i do | what can i do here | what can i ask | what can i ask you | what can i say | what do you do | what do you know | what should i say | what else can you do | what are you able to do | what are you capable of | what are you for | what are my options | what now
show me what you can do | tell me what you can do | show me how | commands | options | menu | examples | instructions | usage | give me an example | show me some examples | how do you work | how does this work | how does it work | how do i use this | how do i use you | how do i start | where do i start | get started | start
who are you | what are you | what is your name | do you have a name | are you there | anybody there | is anyone there | anyone there | are you a bot | are you a robot | are you human | are you real | introduce yourself | who made you | tell me about yourself
how are you | how are you doing | how are you today | how is it going | how do you do | what is up | what is new | whats up | sup | yo | hiya | howdy | greetings | welcome | nice to meet you | pleased to meet you | good day | good night | good bye | goodbye | bye | bye bye | see you | see you later | see you soon | see you tomorrow | talk to you later | later | take care | have a nice day | have a good day
thanks for your help | thank you for your help | thanks for the help | thanks for that | thanks again | thanks anyway | thank you again | much appreciated | i appreciate it | appreciate it | you are welcome | no thanks | no thank you | no problem | good job | well done | nice work | good work | nice one | nice | awesome | excellent | fantastic | wonderful | amazing | brilliant | you are great | you are the best | you are awesome | i love you | love it
yes | no | yeah | nope | yep | sure | maybe | whatever | never mind | nevermind | forget it | hmm | uh | um | oh | wow | lol | haha | ha ha | sorry | oops | my bad | i am bored | i am tired | i am happy | i am sad | testing | test | ping | hello world | is this on | got it | i see | understood | makes sense | sounds good | fine
`;

/** Words that are optional before a word of a phrase. */
export const optionalWords: ReadonlySet<string> = new Set(["the", "a", "an", "please", "just", "also"]);

/** Every word of them. */
export const courtesyWords: ReadonlySet<string> = new Set([
  ...optionalWords,
  ...`${courtesiesBefore} ${courtesiesAfter}`.split(/[\s|]+/).filter((word) => word !== ""),
]);
