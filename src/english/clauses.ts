import { wordSet } from "./word-set.ts";

const wordsOf = (rows: string) => rows.split("|").map((row) => row.split(" "));

export const connectors: readonly { readonly words: readonly string[]; readonly isHard: boolean }[] = [
  ...wordsOf("and|&|but").map((words) => ({ words, isHard: false })),
  ...wordsOf(
    "then|after that|after which|afterwards|afterward|followed by|once that is done|once done|when that is done",
  ).map((words) => ({ words, isHard: true })),
];

export const linkWords: readonly (readonly string[])[] = wordsOf("as well as|plus|also|next|finally");

export const wishOpeners = wordSet("what who where why how which please");

export const wishOpeningPairs: ReadonlySet<string> = new Set(
  "can you|could you|would you|will you|tell me|show me|give me|let me|is it|is there|are there|do i|i want|i would".split(
    "|",
  ),
);

export const clauseAbbreviations = wordSet("mr mrs ms dr st vs no etc approx e.g i.e prof nr jr sr inc ltd co ave");

export const wishVerbs = wordSet(
  "show list add tell give mark delete remove send create calculate put find complete finish update clear search save " +
    "remind book call email mail pay convert multiply divide double write reserve check what",
);

// The planner ignores courtesies, unless a phrase of a tool contains them.

const please = "(please|kindly|just|also|quickly|possibly|perhaps|maybe|be so kind [as to|and]|go ahead and|go on and)";
const grateful = "(grateful|obliged|glad|happy|pleased|thankful|delighted|thrilled|much obliged|very much obliged)";
const you = "(you|ya|we|someone|somebody)";
const moment = "(a sec|a second|a moment|a minute|a min|a chance|time|the chance|the time|a spare moment)";

export const courtesiesBefore: readonly string[] = [
  "[dear|hey|hi|hello|good] (please|kindly|just|now|so|well|hey|hi|hello|hiya|yo|ok|okay|alright|right|great|cool|thanks|oh|um|uh|hmm|yes|yeah|sure|also|too|ugh|fine|lol|omg|ah|er|erm|actually|then|next|finally|lastly|afterwards|and|first|firstly|second|secondly|third|thirdly|fourth|fifth|quick|quickly|dear|assistant|buddy|friend|computer|bot|mate|morning|mornin|evening|afternoon|there|again|besides|additionally|sorry|plus|perhaps|maybe you could|listen|look|fyi|pretty please)",
  "(good (morning|evening|afternoon|day)|all right|thank you|all right then|right then|go on then|well then|ok then|okay then|ok so|do please|pretty please|excuse me|when you are ready)",
  `(can|could|would|will|might|may|wont) ${you} [${please}] [(help me [to|out|out and]|be able to|be so (kind|good|nice) as to|mind)] [${please}]`,
  `(can|could|may|might) i [${please}] [(ask|trouble|bother|get|have) you to]`,
  `(can you|could you|would you|mind) [${please}] (help me|tell me|show me|give me)`,
  `(help me [to|with]|i need [some] help with|help with|i need to|i want to|i wanna|i would (like|love) to|i wish to|i have to|i have got to|we (have|need|want) to|i am (going|trying) to|i must)`,
  `(do you mind|do you think you could|are you able to|is it possible to|would it be possible [for you] to|is there a way to|mind if i ask you to|i think it is best if you|it is best if you|think it is best if you|think its best if you)`,
  `(you can|you could|you should|you may|you need to|go ahead and|go on and|be sure to|make sure to|make sure [that] you|feel free to|try to|let us|let me|remember to|be a dear and|be an angel and|be so kind [as to|and]|do me a favor [and]|do me a favour [and]|let us get on with it and)`,
  `i (want|need|would like|should like|should very much like|would very much like|must ask|have to ask|am asking|wish|beg) [to ask] you to`,
  `i (would|should|will) (be [(most|very|so|truly|really|ever so|much|extremely)] ${grateful}|appreciate it|love it|like it) if you (could|would|can|will|might) [${please}]`,
  `(if you (would|could|can) (be (so good|good enough|so kind|kind enough) [as] to)|i (wonder|wondered|was wondering|am wondering) (if|whether) you (could|would|can|might) [(mind helping me out|help me|please)]|i was hoping you (could|would))`,
  "(alexa|siri|cortana|olly|jarvis|ok google|okay google|hey google|google|my dear|dear assistant|hey there|hi there|hello there|oh and|and then|after that|at the end|in addition|besides that|in the end|last of all|at last|first of all|first off|to begin with|to start with|to start|start by|begin by|start with|begin with|start off with|begin with)",
  "(one|quick|one quick|one more|another|a quick|first|next|last) (thing|question|one|request|favour|favor)",
  "(if you (can|could|do not mind|please|have time)|if possible|when you (can|have [time]|get [the chance])|for me|before i forget|while i remember|while i am at it|sorry to (bother you|be a pain|ask|trouble you) [again] [but]|(before i forget|while i think of it|whenever convenient|in order that nothing gets forgotten|as discussed|further to my earlier message)|apologies for bothering you [yet] [again] [but]|no rush but|action required|further to my earlier message|to be [perfectly] honest)",
  `(two|three|a few|a couple of) things`,
  "(once|when|after) (that is done|done|you are done)",
  "(tell me|show me|give me|get me|let me know|let me hear|let me see|i want to know|i need to know|i would like to know|do you know|do you happen to know|find out|figure out|check|work out)",
  "(what is|what are|what was|how is|what about|how about|tell me what is|i wonder)",
  "(i want|i need|i would like|the|a|an|my|quick question|question)",
];

export const courtesiesAfterText: readonly string[] = [
  "(please|thanks|thank you|thank you (very much|so much|kindly)|thanks (a lot|so much|a million|a bunch|very much)|many thanks|thanks in advance|many thanks in advance|thank you in advance|ta|cheers|much appreciated|pretty please)",
  `(if you (could|can|would|do not mind|please)|if possible|if that is (ok|okay|possible|alright)|if it is not too much (trouble|to ask)|would you|will you|could you|can you|would you mind)`,
  `when you (can|get ${moment}|have ${moment}|have [a spare] moment|are free)`,
  "(at your earliest convenience|as discussed|no reply needed|before i forget [again]|so i do not forget [it]|so that i do not forget [it]|real quick|for me please|please and thank you|and that is (it|all)|that is (it|all))",
];

export const courtesiesAfter: readonly string[] = [
  ...courtesiesAfterText,
  "(for me|for us|right now|now|right away|immediately|asap|as soon as possible|quickly|at once|this time|too|as well|also|again|afterwards|at the end|at last|after that|in the end|ok|okay|alright|all right|right|then|instead|though|buddy|dear|first|mate|lol|x|so far|at the moment)",
];

export const praise =
  "good|great|lovely|splendid|marvellous|marvelous|super|superb|excellent|brilliant|wonderful|fantastic|terrific|amazing|awesome|perfect|nice|fabulous|magnificent|delightful|fine|charming|smashing|neat|grand|beautiful|gorgeous|outstanding|tremendous|ideal|bravo|wow|phew|hooray";

export const courtesiesAlone: readonly string[] = [
  `[(oh|well|very|so|that is|how|just|simply|absolutely)] (${praise}) [(indeed|then|job|work|stuff)]`,
  "you are [such] (a|an) (treasure|star|angel|gem|legend|saint|darling|dear|lifesaver|hero|wonder|genius)",
  "that (is|will be|would be|should be) (all|it|everything) [for (now|today|tonight|the moment|this time)]",
  "(thanks|thank you) (ever so|so very|very very) much",
  "well well",
  "(please|thanks|thank you|thanks a lot|thank you very much|thank you so much|many thanks|thanks in advance|many thanks in advance|thank you in advance|ta|cheers|much appreciated|kind regards|best regards|best wishes|regards|yours sincerely)",
  "(morning|mornin|evening|afternoon|hey|hi|hello|hiya|hey there|hi there|hello there|good morning|good afternoon|good evening|ok|okay|alright|all right|great|cool|perfect|well|so|now|right|lol|ugh|yo|dear assistant|excuse me)",
  "(first|first of all|firstly|second|secondly|third|thirdly|fourth|fifth|then|next|also|if you (can|could|would|please|do not mind)|if possible|would you|will you|can you|could you|right now|for me|that is all|that is it|that is all for now|asap|x|no rush|no hurry|as discussed|no reply needed|before i forget|well done|i trust you are well|i hope you are well|hope you are well|sorry to bother you|[cheers] (you are|your) a star|sorry to be a pain|go on then|quick one|quick thing|one more thing|one thing|pretty please|fyi|and so on|been meaning to ask)",
];

export const smallTalk: readonly string[] = [
  "[(i need [some]|can i get some|can you|could you|how can you|what can you)] help [me] [with] [please]",
  "what (can you do [for me]|can i (do|say|ask [you]) [here]|do you (do|know)|should i say|else can you do|now)",
  "what are (you [(able to do|capable of|for)]|my options)",
  "(show|tell) me (how|what you can do|some examples)",
  "(commands|options|menu|examples|instructions|usage|start|get started|give me an example|where do i start)",
  "how (do (you work|i start|i use (this|you))|does (this|it) work)",
  "(who (are|made) you|what is your name|do you have a name|introduce yourself|tell me about yourself)",
  "(are you|is anybody|is anyone|anybody|anyone) there",
  "are you (a bot|a robot|human|real)",
  "how (are you [(doing|today)]|is it going|do you do)",
  "(what is (up|new)|whats up|sup|yo|hiya|howdy|greetings|welcome|(nice|pleased) to meet you)",
  "(good (day|night|bye)|goodbye|bye [bye]|(see|talk to) you [(later|soon|tomorrow)]|later|take care|have a (nice|good) day)",
  "(thanks|thank you) (for (your help|the help|that)|again|anyway)",
  "(much appreciated|[i] appreciate it|you are (welcome|great|the best|awesome)|no (thanks|thank you|problem))",
  "(good job|well done|(nice|good) work|nice [one]|awesome|excellent|fantastic|wonderful|amazing|brilliant|i love you|love it)",
  "(yes|no|yeah|nope|yep|sure|maybe|whatever|never mind|nevermind|forget it|hmm|uh|um|oh|wow|lol|haha|ha ha|sorry|oops|my bad)",
  "(i am (bored|tired|happy|sad)|testing|test|ping|hello world|is this on|got it|i see|understood|(makes|sounds) (sense|good)|fine)",
];

export const optionalWords: ReadonlySet<string> = new Set(["the", "a", "an", "please", "just", "also"]);
