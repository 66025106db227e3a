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

// The planner ignores courtesies, unless a phrase of a tool contains them. They may follow one another.

const please = "(please|kindly|just|also|quickly|possibly|perhaps|maybe)";
const grateful = "([very] much obliged|grateful|obliged|glad|happy|pleased|thankful|delighted|thrilled)";
const you = "(you|ya|we|someone|somebody)";
const moment = "(a (sec|second|moment|minute|min|chance|spare moment)|[the] (chance|time))";
const greetings =
  "morning|mornin|evening|afternoon|hey|hi|hello|hiya|yo|lol|ugh|ok|okay|alright|all right|right|great|cool|well|so|now";
const orderWords = "first|firstly|first of all|second|secondly|third|thirdly|fourth|fifth|then|next|also";
const thanks =
  "(please|pretty please|ta|cheers|grazie|merci|danke|much appreciated|(thanks|thank you) [([(ever so|so very|very very|so|very)] much|kindly|in advance|a lot|a million|a bunch)]|many thanks [in advance])";

export const courtesiesBefore: readonly string[] = [
  `(${greetings}|${orderWords}|please|kindly|just|quickly|perhaps|maybe you could|thanks|thank you|oh|um|uh|hmm|yes|yeah|sure|too|fine|omg|ah|er|erm|actually|finally|lastly|afterwards|and|quick|dear|assistant|buddy|friend|computer|bot|mate|there|again|besides|additionally|sorry|plus|listen|look|fyi|pretty please)`,
  "(good (morning|evening|afternoon|day)|go on then|do please|excuse me)",
  `(can|could|would|will|might|may|wont) ${you} [(possibly|maybe)] [(mind|be able to|be so (kind|good|nice) as to)]`,
  `(can|could|may|might) i [${please}] [(ask|trouble|bother|get|have) you to]`,
  `([i need [some]] help with|help me [(to|with|out [and])]|i (need|want|wish|have|have got|would (like|love)|am (going|trying)) to|i wanna|we (have|need|want) to|i must)`,
  `(do you mind|do you think you could|are you able to|(is it|would it be) possible [for you] to|is there a way to|mind if i ask you to|[[i] think] (it is|its) best if you)`,
  `(you (can|could|should|may|need to)|go (ahead|on) and|be sure to|make sure (to|[that] you)|feel free to|try to|let us|let me|remember to|be a dear and|be so kind [as to|and]|do me a (favor|favour) [and]|let us get on with it and)`,
  `i (want|need|(would|should) [very much] like|(must|have to) ask|am asking|wish|beg) [to ask] you to`,
  `i (would|should|will) (be [(most|very|so|truly|really|ever so|much|extremely)] ${grateful}|appreciate it|love it|like it) if you (could|would|can|will|might)`,
  `(if you (would|could|can) be (so good|good enough|so kind|kind enough) [as] to|i (wonder|wondered|was wondering|am wondering) (if|whether) you (could|would|can|might)|i was hoping you (could|would))`,
  "([ok|okay] google|alexa|siri|cortana|olly|jarvis|after that|at the end|in addition|besides that|in the end|at last|[to] (start|begin) [off] (with|by)|to start)",
  "(one [quick|more]|quick|another|first|next|last) (thing|question|one|request|favour|favor)",
  "(if you (can|could|do not mind|please|have time)|if possible|when you (can|have [time]|get [the chance])|for me|before i forget|while i (remember|am at it|think of it)|sorry to (bother you|be a pain|ask|trouble you) [again] [but]|whenever convenient|in order that nothing gets forgotten|as discussed|further to my earlier message|apologies for bothering you [yet] [again] [but]|no rush but|action required|to be [perfectly] honest)",
  "(two|three|a few|a couple of) things",
  "(once|when|after) [that is|you are] done",
  "((tell|show|give|get) me|let me (know|hear|see)|i (want|need|would like) to know|do you [happen to] know|find out|figure out|check|work out)",
  "((what|how) is|what are|what was|(what|how) about|tell me what is|i wonder)",
  "(i want|i need|i would like|the|a|an|my|[quick] question)",
];

export const courtesiesAfterText: readonly string[] = [
  thanks,
  `(if you (could|can|would|do not mind|please)|if possible|if that is (ok|okay|possible|alright)|if it is not too much (trouble|to ask)|(would|will|could|can) you|would you mind)`,
  `when you (can|get ${moment}|have ${moment}|are free)`,
  "(at your earliest convenience|as discussed|no reply needed|before i forget [again]|(so|so that) i do not forget [it]|real quick|for me please|please and thank you|[and] that is (it|all))",
];

export const courtesiesAfter: readonly string[] = [
  ...courtesiesAfterText,
  "(for (me|us)|[right] now|right away|immediately|asap|as soon as possible|quickly|at once|this time|too|as well|also|again|afterwards|at the end|at last|after that|in the end|after all|finally|ok|okay|alright|all right|right|then|instead|though|buddy|dear|first|mate|lol|x|so far|at the moment)",
];

export const praise =
  "good|great|lovely|splendid|marvellous|marvelous|super|superb|excellent|brilliant|wonderful|fantastic|terrific|amazing|awesome|perfect|nice|fabulous|magnificent|delightful|fine|charming|smashing|neat|grand|beautiful|gorgeous|outstanding|tremendous|ideal|bravo|wow|phew|hooray";

const compliment = `[(oh|well|very|so|that is|how|just|simply|absolutely)] (${praise}) [(indeed|then|job|work|stuff|one)]`;

export const courtesiesAlone: readonly string[] = [
  compliment,
  "(you are|your) [such] (a|an) [(great|big|real)] (help|star|angel|legend|lifesaver)",
  "(bless you|you (have been|are|were) [(very|so|most|really)] (helpful|kind|patient))",
  "that (is|will be|would be|should be) (all|it|everything) [for (now|today|tonight|the moment|this time)]",
  `(${thanks}|[kind|best] regards|best wishes)`,
  `(${greetings}|${orderWords}|(hey|hi|hello) there|good (morning|afternoon|evening|day)|[my] dear|dear assistant|excuse me)`,
  "(if you (can|could|would|please|do not mind)|if possible|(would|will|can|could) you|right now|for me|asap|x|no (rush|hurry)|as discussed|no reply needed|before i forget|well done|i trust you are well|[i] hope you are well|sorry to (bother you|be a pain)|go on then|quick (one|thing)|one [more] thing|fyi|and so on|been meaning to ask)",
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
  "(what is (up|new)|sup|howdy|greetings|welcome|(nice|pleased) to meet you)",
  "(good (night|bye)|goodbye|bye [bye]|(see|talk to) you [(later|soon|tomorrow)]|later|take care|have a (nice|good|pleasant|lovely|great|wonderful) (day|evening|weekend|one))",
  "(thanks|thank you|many thanks) (for (your help|the help|that)|again|anyway)",
  "([i] appreciate it|you are (welcome|great|the best|awesome)|no (thanks|thank you|problem))",
  `(${compliment}|well done|i love you|love it)`,
  "(yes|no|yeah|nope|yep|sure|maybe|whatever|never mind|nevermind|forget it|hmm|uh|um|oh|lol|haha|ha ha|sorry|oops|my bad)",
  "(i am (bored|tired|happy|sad)|testing|test|ping|hello world|is this on|got it|i see|understood|(makes|sounds) (sense|good))",
];

export const optionalWords: ReadonlySet<string> = new Set(["the", "a", "an", "please", "just", "also"]);
