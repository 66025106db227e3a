export const requests = ({ one, multi, no, t, or, ref, absent, day, dow, at }) => [
  // a parent in a hurry
  one("tell Jonas dinner is at 6 and bring milk", "near", [
    "SendMessage",
    { to: "Jonas", text: "dinner is at 6 and bring milk" },
  ]),
  one("text Grandma Ruth we land on Friday at 4:20, no need to pick us up", "near", [
    "SendMessage",
    { to: "Grandma Ruth", text: "we land on Friday at 4:20, no need to pick us up" },
  ]),
  one("tomorrow 6:45 am text leo dont forget your gym bag", "order", [
    "ScheduleMessage",
    { to: "leo", text: "dont forget your gym bag", at: at(day(1), "06:45") },
  ]),
  one("I want to here from the kindergarden group again, they changed the pickup time", "typo", [
    "UnmuteChat",
    { chat: or(t("kindergarden", "group the"), t("kindergarten", "group the")) },
  ]),
  // the owner of a flower shop
  one("let Petra Lindqvist know that her 12 roses are ready, it's 38,50 and she can pay by card", "near", [
    "SendMessage",
    {
      to: "Petra Lindqvist",
      text: or(
        "her 12 roses are ready, it's 38,50 and she can pay by card",
        "your 12 roses are ready, it's 38,50 and you can pay by card",
      ),
    },
  ]),
  one("schedule a message to Blumen Kessler for tomorrow at 7:30: please deliver 40 tulips, no lilies", "near", [
    "ScheduleMessage",
    { to: "Blumen Kessler", text: "please deliver 40 tulips, no lilies", at: at(day(1), "07:30") },
  ]),
  one("show me as away until Monday at 10, I'm at the trade fair in Leipzig", "near", [
    "SetStatus",
    {
      status: "away",
      until: at(dow("monday"), "10:00"),
      note: or(absent, "I'm at the trade fair in Leipzig", "at the trade fair in Leipzig"),
    },
  ]),
  // a polite older gentleman
  one("Would you be so kind as to inform Margaret Hill that the bridge evening has moved to Tuesday the 8th?", "syn", [
    "SendMessage",
    { to: "Margaret Hill", text: "the bridge evening has moved to Tuesday the 8th" },
  ]),
  one(
    "On Monday at nine, kindly tell my neighbour Mr. Patel that the plumber comes on Wednesday, 2 December.",
    "order",
    [
      "ScheduleMessage",
      {
        to: t("mr patel", "my neighbour"),
        text: "the plumber comes on Wednesday, 2 December",
        at: at(dow("monday"), "09:00"),
      },
    ],
  ),
  one("From my daughter Elizabeth I should be glad to hear the three most recent messages.", "order", [
    "ReadMessages",
    { chat: t("elizabeth", "my daughter"), count: 3 },
  ]),
  // a builder who learned English late
  one("please to write for Marek: material is come, 14 bags cement, not 15", "syn", [
    "SendMessage",
    { to: "Marek", text: "material is come, 14 bags cement, not 15" },
  ]),
  one(
    "please mute the group Family Kowalski for two days",
    "near",
    ["MuteChat", { chat: t("family kowalski", "group the"), hours: 48 }],
    ["MuteChat", { chat: t("family kowalski", "group the"), until: at(day(2), "10:00") }],
  ),
  // dictation
  one(
    "send a message to doctor Okafor saying thank you for yesterday the tablets are working and I slept until seven",
    "syn",
    [
      "SendMessage",
      { to: t("okafor", "doctor dr"), text: "thank you for yesterday the tablets are working and I slept until seven" },
    ],
  ),
  // a teenager
  one("yo tell lena im not coming tmrw lol", "extra", ["SendMessage", { to: "lena", text: "im not coming tmrw lol" }]),
  one("shut the class chat up for 3 hours pls", "syn", ["MuteChat", { chat: t("class", "chat the"), hours: 3 }]),
  // a developer at a terminal
  one('post "deploy of 2.14.3 is done, rollback window closes at 18:00" to #releases', "near", [
    "SendMessage",
    { to: or("#releases", "releases"), text: "deploy of 2.14.3 is done, rollback window closes at 18:00" },
  ]),
  one("mute #random 90m", "terse", ["MuteChat", { chat: or("#random", "random"), hours: 1.5 }]),
  one("status busy, note: in the incident call, until 12:30", "terse", [
    "SetStatus",
    { status: "busy", note: "in the incident call", until: at(day(0), "12:30") },
  ]),
  // somebody annoyed
  one("For the third time: tell the landlord the heating is STILL broken and I won't pay the 870 euros", "extra", [
    "SendMessage",
    { to: t("landlord", "the"), text: "the heating is STILL broken and I won't pay the 870 euros" },
  ]),
  one("so what did the building management write this time", "near", [
    "ReadMessages",
    { chat: t("building management", "the") },
  ]),
  one("plese set my staus to invisble, I don't want to talk to anyone", "typo", [
    "SetStatus",
    { status: "invisible", note: or(absent, "I don't want to talk to anyone") },
  ]),
  // the coach of a children's team
  one('send "Training is off, see you Saturday" to U12 Parents today at 5', "near", [
    "ScheduleMessage",
    { to: "U12 Parents", text: "Training is off, see you Saturday", at: at(day(0), "17:00") },
  ]),
  one("show me the messages in U12 Parents since Monday", "near", [
    "ReadMessages",
    { chat: "U12 Parents", since: day(-3) },
  ]),
  // a ward nurse
  one("mute Night Shift until tomorrow at 2pm", "near", [
    "MuteChat",
    { chat: "Night Shift", until: at(day(1), "14:00") },
  ]),
  one("please pin message 4471 so nobody misses it", "near", ["PinMessage", { id: 4471 }]),

  // the parent, the nurse, the developer, the teenager, the gentleman, the shop owner
  multi("tell Oma we're late and mute the neighbours chat for an hour", "and", [
    ["SendMessage", { to: "Oma", text: "we're late" }],
    ["MuteChat", { chat: t("neighbours", "chat the"), hours: 1 }],
  ]),
  multi("unmute Night Shift and let them know bed 12 is free and Mrs. Alvarez goes home tomorrow", "pronoun", [
    ["UnmuteChat", { chat: "Night Shift" }],
    ["SendMessage", { to: "Night Shift", text: "bed 12 is free and Mrs. Alvarez goes home tomorrow" }],
  ]),
  multi(
    'post "code freeze starts Dec 18, no exceptions" in #releases and pin it',
    "result",
    [
      ["SendMessage", { to: or("#releases", "releases"), text: "code freeze starts Dec 18, no exceptions" }],
      ["PinMessage", { id: ref(0) }],
    ],
    { ordered: true },
  ),
  multi("mute mia for 2 hours and jonah for 4", "ellipsis", [
    ["MuteChat", { chat: "mia", hours: 2 }],
    ["MuteChat", { chat: "jonah", hours: 4 }],
  ]),
  multi(
    "Please read me the messages from Dr. Brandt first, then tell him that I accept the appointment on 10 December at 11.",
    "then",
    [
      ["ReadMessages", { chat: t("dr brandt") }],
      ["SendMessage", { to: t("dr brandt"), text: "I accept the appointment on 10 December at 11" }],
    ],
    { ordered: true },
  ),
  multi("tell Yusuf the van is ready at 4 and Greta she doesn't need to come in tomorrow", "ellipsis", [
    ["SendMessage", { to: "Yusuf", text: "the van is ready at 4" }],
    [
      "SendMessage",
      { to: "Greta", text: or("she doesn't need to come in tomorrow", "you don't need to come in tomorrow") },
    ],
  ]),

  no("don't tell Jonas about the bike yet, it's for his birthday on the 5th", "negation", "denies it"),
  no("text my brother", "missing", "no text"),
  no("schedule a message to Petra Lindqvist: your wreath is ready, 24 euros", "missing", "no time"),
  no("delete what I sent to Marek on Tuesday", "no-tool", "no deletion"),
  no("ugh what a morning", "smalltalk", "no wish"),
  no("my boss said he told everybody that the office closes at 3", "reported", "tells what somebody else did"),
  no(
    "if Lena hasn't answered by 6, text her that I already left",
    "condition",
    "depends on an answer that no tool can check",
  ),
  no('every Friday at 16:00 post "fill in your timesheets" in #team', "repeat", "sends once only"),
  no("what would the others see if I muted the school group for a week?", "hypothetical", "asks about it"),
];
