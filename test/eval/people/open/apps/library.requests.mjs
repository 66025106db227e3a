export const requests = ({ one, multi, no, t, or, ref, absent, day, dow, md }) => [
  // a parent in a hurry
  one("renew The Gruffalo", "near", ["RenewLoan", { book: t("gruffalo", "the") }]),
  one("reserve The Very Hungry Caterpillar at the Riverside branch", "near", [
    "ReserveBook",
    { book: t("very hungry caterpillar", "the"), branch: t("riverside", "branch the") },
  ]),
  one("The charge on Matilda is wrong: we brought it back on the 3rd, not the 13th", "syn", [
    "ContestFine",
    { book: "Matilda", reason: "we brought it back on the 3rd, not the 13th" },
  ]),
  one("what do I have to bring back by monday", "near", ["ListLoans", { due: dow("monday") }]),
  // a teacher
  one("please renew Lord of the Flies until 18 December", "near", [
    "RenewLoan",
    { book: "Lord of the Flies", until: md(12, 18) },
  ]),
  one("reserve Animal Farm with the note: 28 copies if possible, otherwise 14 and the rest in January", "near", [
    "ReserveBook",
    { book: "Animal Farm", note: "28 copies if possible, otherwise 14 and the rest in January" },
  ]),
  one("find me books by Chimamanda Ngozi Adichie", "near", ["SearchBooks", { author: "Chimamanda Ngozi Adichie" }]),
  // a polite older lady
  one("I would like to keep The Remains of the Day for another fortnight, if that is possible.", "syn", [
    "RenewLoan",
    { book: t("remains of the day", "the"), weeks: 2 },
  ]),
  one("At the Oakfield library, would you kindly put aside Emma by Jane Austen for me?", "order", [
    "ReserveBook",
    { book: t("emma", "by jane austen"), branch: t("oakfield", "library the") },
  ]),
  one("Please dispute the fine on Wolf Hall, as I was in hospital from 2 to 20 November and could not come.", "near", [
    "ContestFine",
    { book: "Wolf Hall", reason: "I was in hospital from 2 to 20 November and could not come" },
  ]),
  // a grandfather
  one("I'd like to settle my debt of two euros and twenty cents for Treasure Island", "syn", [
    "PayFine",
    { euros: 2.2, book: "Treasure Island" },
  ]),
  // a foreign student
  one(
    "I need more time with the book Norwegian Wood because my exam is only at 9 December",
    "syn",
    ["RenewLoan", { book: t("norwegian wood", "the book") }],
    ["RenewLoan", { book: t("norwegian wood", "the book"), until: md(12, 9) }],
  ),
  one("for the book Sapiens I want to pay the 3 euro", "order", [
    "PayFine",
    { euros: 3, book: t("sapiens", "the book") },
  ]),
  one("in Polish, have you something about bees", "order", ["SearchBooks", { about: "bees", language: "polish" }]),
  // dictation
  one("hi it's me again um I'd like you to hold Pride and Prejudice for me and thank you very much", "extra", [
    "ReserveBook",
    { book: "Pride and Prejudice" },
  ]),
  one("when is the Central branch open on Saturday", "near", [
    "OpeningHours",
    { branch: t("central", "branch the"), day: dow("saturday") },
  ]),
  // a teenager
  one("can u extand dune til wednesday", "typo", ["RenewLoan", { book: "dune", until: dow("wednesday") }]),
  one("open sunday?", "terse", ["OpeningHours", { day: dow("sunday") }]),
  // a developer at a terminal
  one("renew 'Designing Data-Intensive Applications' 3w", "terse", [
    "RenewLoan",
    { book: "Designing Data-Intensive Applications", weeks: 3 },
  ]),
  one("list all my loans", "near", ["ListLoans", {}]),
  // somebody annoyed
  one("put me on the waiting list for Fourth Wing already, I've been asking since August", "syn", [
    "ReserveBook",
    { book: "Fourth Wing", note: or(absent, "I've been asking since August") },
  ]),
  one("contest the fine for Atomic Habits because I returned it on 12 November and the box was full", "near", [
    "ContestFine",
    { book: "Atomic Habits", reason: "I returned it on 12 November and the box was full" },
  ]),
  // the owner of a café
  one("pay 4,50 € of my fines", "near", ["PayFine", { euros: 4.5 }]),
  one("my nephew turns ten on the 12th, so find me books about volcanoes and dinosaurs", "extra", [
    "SearchBooks",
    { about: "volcanoes and dinosaurs" },
  ]),
  one("opning hours harbour libary 24 dec", "typo", [
    "OpeningHours",
    { branch: t("harbour", "library libary"), day: md(12, 24) },
  ]),

  // the parent, the teacher, the student, dictation, the older lady, the developer
  multi("renew Matilda and pay 2 euros of my fines", "and", [
    ["RenewLoan", { book: "Matilda" }],
    ["PayFine", { euros: 2 }],
  ]),
  multi("extend Circe until 11 December and Piranesi until the 18th", "ellipsis", [
    ["RenewLoan", { book: "Circe", until: md(12, 11) }],
    ["RenewLoan", { book: "Piranesi", until: md(12, 18) }],
  ]),
  multi("I pay 1.60 for The Hobbit and please renew it for two weeks", "pronoun", [
    ["PayFine", { euros: 1.6, book: t("hobbit", "the") }],
    ["RenewLoan", { book: t("hobbit", "the"), weeks: 2 }],
  ]),
  multi(
    "find something by Kazuo Ishiguro and reserve it at the Central branch",
    "result",
    [
      ["SearchBooks", { author: "Kazuo Ishiguro" }],
      ["ReserveBook", { book: ref(0), branch: t("central", "branch the") }],
    ],
    { ordered: true },
  ),
  multi(
    "First tell me when the Oakfield branch is open tomorrow, then show me what I have borrowed, please.",
    "then",
    [
      ["OpeningHours", { branch: t("oakfield", "branch the"), day: day(1) }],
      ["ListLoans", {}],
    ],
    { ordered: true },
  ),
  multi("reserve War and Peace and Crime and Punishment", "and", [
    ["ReserveBook", { book: "War and Peace" }],
    ["ReserveBook", { book: "Crime and Punishment" }],
  ]),

  no("don't renew Dune, I finished it on Tuesday", "negation", "denies it"),
  no("I want to pay my fine for The Hobbit", "missing", "no amount"),
  no("contest the fine for Sapiens", "missing", "no reason"),
  no("cancel my reservation of Fourth Wing, a friend lent me hers", "no-tool", "no cancelling"),
  no("you were all so helpful last week", "smalltalk", "no wish"),
  no(
    "the lady at the desk said she renewed Treasure Island until 10 December for me",
    "reported",
    "tells what somebody else did",
  ),
  no(
    "if nobody else has reserved Circe, renew it until the 20th of December",
    "condition",
    "depends on something no tool can check",
  ),
  no("renew Matilda every two weeks until the summer", "repeat", "renews once only"),
  no("how much would I have to pay if I kept Wolf Hall until January?", "hypothetical", "asks about it"),
];
