export const requests = ({ one, multi, no, ref, t, or, day, dow, md, at }) => [
  one("book Maria Delgado Ruiz for Tuesday 1 December at 9:15", "near", [
    "BookAppointment",
    { patient: "Maria Delgado Ruiz", start: at(md(12, 1), "09:15") },
  ]),
  one("please book an appointment for Mr. Okonkwo tomorrow at 5", "near", [
    "BookAppointment",
    { patient: "Mr. Okonkwo", start: at(day(1), "17:00") },
  ]),
  one("book Lena Hofer for Monday at 8:30 for 45 minutes", "near", [
    "BookAppointment",
    { patient: "Lena Hofer", start: at(dow("monday"), "08:30"), minutes: 45 },
  ]),
  one("book Felix Brandl on 3 December at 14:00 because of a rash on both arms", "near", [
    "BookAppointment",
    { patient: "Felix Brandl", start: at(md(12, 3), "14:00"), reason: t("rash on both arms", "a") },
  ]),
  one("cancel the appointment of Mrs Yilmaz because her son is sick and she has to stay home", "near", [
    "CancelAppointment",
    { patient: "Mrs Yilmaz", reason: t("her son is sick and she has to stay home") },
  ]),
  one("cancel the appointment for Paul van der Berg on Friday", "near", [
    "CancelAppointment",
    { patient: "Paul van der Berg", date: dow("friday") },
  ]),
  one("look up Anne-Sophie Keller", "near", ["FindPatient", { name: "Anne-Sophie Keller" }]),
  one("find Thomas Wagner born 14.02.1971", "near", ["FindPatient", { name: "Thomas Wagner", born: "1971-02-14" }]),
  one("note for Gerda Lindt: BP 150/95, check again in 2 weeks, no change to ramipril 5 mg", "near", [
    "AddNote",
    { patient: "Gerda Lindt", note: "BP 150/95, check again in 2 weeks, no change to ramipril 5 mg" },
  ]),
  one("text Ahmed Saleh: your results are in, please call us before Friday", "near", [
    "MessagePatient",
    { patient: "Ahmed Saleh", message: "your results are in, please call us before Friday" },
  ]),
  one("tell Julia Stern that we open at 7:30 on Monday and she doesn't need to fast", "near", [
    "MessagePatient",
    {
      patient: "Julia Stern",
      message: or(
        "we open at 7:30 on Monday and she doesn't need to fast",
        "we open at 7:30 on Monday and you don't need to fast",
      ),
    },
  ]),
  one("renew ibuprofen 600 mg for Bernd Koch", "near", [
    "RenewPrescription",
    { patient: "Bernd Koch", medicine: "ibuprofen 600 mg" },
  ]),
  one("renew metformin for Mrs Ortega for 30 days", "near", [
    "RenewPrescription",
    { patient: "Mrs Ortega", medicine: "metformin", days: 30 },
  ]),
  one("put Clara Winter on the waiting list until 15 January", "near", [
    "AddToWaitingList",
    { patient: "Clara Winter", until: "2027-01-15" },
  ]),
  // a parent in a hurry
  one("need to get my son Jonas Reiter seen tomorrow at 4, earache since last night", "syn", [
    "BookAppointment",
    { patient: "Jonas Reiter", start: at(day(1), "16:00"), reason: t("earache", "since last night") },
  ]),
  // a polite older person
  one(
    "Good morning, I would be most grateful if you could kindly inform Mr Albert Fenwick that his hearing aid is ready and that he may collect it any day but Wednesday.",
    "extra",
    [
      "MessagePatient",
      {
        patient: or("Mr Albert Fenwick", "Albert Fenwick"),
        message: or(
          "his hearing aid is ready and that he may collect it any day but Wednesday",
          "his hearing aid is ready and he may collect it any day but Wednesday",
          "your hearing aid is ready and that you may collect it any day but Wednesday",
          "your hearing aid is ready and you may collect it any day but Wednesday",
        ),
      },
    ],
  ),
  // a doctor who dictates
  one(
    "patient file ingrid sommer please record she has been sleeping badly since the third of november and is not taking any pills",
    "syn",
    [
      "AddNote",
      {
        patient: or("ingrid sommer", "Ingrid Sommer"),
        note: or(
          t("has been sleeping badly since the third of november and is not taking any pills", "she"),
          t("sleeping badly since the third of november and not taking any pills", "is"),
        ),
      },
    ],
  ),
  // a non-native speaker
  one("for Mister Dubois the amlodipine is finish, he need it again", "syn", [
    "RenewPrescription",
    { patient: or("Mister Dubois", "Mr Dubois", "Dubois"), medicine: "amlodipine" },
  ]),
  // a teenager
  one("waitlist Kim Tran pls", "terse", ["AddToWaitingList", { patient: "Kim Tran" }]),
  // a developer at a terminal
  one("appt Nils Holm 2026-12-09 11:20", "terse", [
    "BookAppointment",
    { patient: "Nils Holm", start: at(md(12, 9), "11:20") },
  ]),
  // somebody annoyed
  one(
    "third time I'm asking!! Harald Moser is NOT coming on the 2nd of December, take him off the schedule already",
    "extra",
    ["CancelAppointment", { patient: "Harald Moser", date: md(12, 2) }],
  ),
  // a receptionist with two phones
  one("cancle teh apointment of Sandra Meier on mondya", "typo", [
    "CancelAppointment",
    { patient: "Sandra Meier", date: dow("monday") },
  ]),
  one("refil the perscription of levothyroxine 75 mcg for Petra Vogel for two weeks", "typo", [
    "RenewPrescription",
    { patient: "Petra Vogel", medicine: "levothyroxine 75 mcg", days: 14 },
  ]),
  one("on wednesday at quarter to four please squeeze in Rosa Maria Lopez", "order", [
    "BookAppointment",
    { patient: "Rosa Maria Lopez", start: at(dow("wednesday"), "15:45") },
  ]),
  // a nurse
  one("for Mrs Chen's file: allergic to penicillin, nuts and latex", "order", [
    "AddNote",
    { patient: "Mrs Chen", note: "allergic to penicillin, nuts and latex" },
  ]),

  multi("Otto Kraus has run out of simvastatin 20 mg and Helga Kraus would like to be on the waiting list", "and", [
    ["RenewPrescription", { patient: "Otto Kraus", medicine: "simvastatin 20 mg" }],
    ["AddToWaitingList", { patient: "Helga Kraus" }],
  ]),
  multi(
    "take Mr Petrov off Friday's list because he has a fever, then give him 7 December at 11",
    "then",
    [
      ["CancelAppointment", { patient: "Mr Petrov", date: dow("friday"), reason: t("fever", "he has a") }],
      ["BookAppointment", { patient: "Mr Petrov", start: at(md(12, 7), "11:00") }],
    ],
    { ordered: true },
  ),
  multi("Eva Lang tomorrow at 9 for an appointment please, and Tim Lang at 9:30", "ellipsis", [
    ["BookAppointment", { patient: "Eva Lang", start: at(day(1), "09:00") }],
    ["BookAppointment", { patient: "Tim Lang", start: at(day(1), "09:30") }],
  ]),
  multi("pull up Fatima Zahra El Amrani and send her this: we moved to 12 Garden Street, second floor", "pronoun", [
    ["FindPatient", { name: "Fatima Zahra El Amrani" }],
    ["MessagePatient", { patient: "Fatima Zahra El Amrani", message: "we moved to 12 Garden Street, second floor" }],
  ]),
  multi(
    "Viktor Simon needs his insulin for another 60 days, renew it and text him the code",
    "result",
    [
      ["RenewPrescription", { patient: "Viktor Simon", medicine: "insulin", days: 60 }],
      ["MessagePatient", { patient: "Viktor Simon", message: ref(0) }],
    ],
    { ordered: true },
  ),
  multi(
    "Sofia Blum fainted twice, no injuries, put that in her file and get her in on Tuesday at 3",
    "pronoun",
    [
      ["AddNote", { patient: "Sofia Blum", note: t("fainted twice no injuries", "Sofia Blum she") }],
      ["BookAppointment", { patient: "Sofia Blum", start: at(dow("tuesday"), "15:00") }],
    ],
    {
      alts: [
        [
          ["AddNote", { patient: "Sofia Blum", note: t("fainted twice no injuries", "Sofia Blum she") }],
          [
            "BookAppointment",
            { patient: "Sofia Blum", start: at(dow("tuesday"), "15:00"), reason: t("fainted twice", "no injuries") },
          ],
        ],
      ],
    },
  ),

  no("please don't cancel Mrs Schubert on Monday, she's coming after all", "negation", "denies it"),
  no("I need an appointment for my daughter Mia Kowalski as soon as possible", "missing", "no time"),
  no("send a message to Dorothea Engel", "missing", "no text"),
  no("how much does Karin Schulz still owe us for the vaccination on 5 October", "no-tool", "no bills"),
  no("thanks a lot, you saved my day, see you tomorrow at 8", "smalltalk", "no wish"),
  no("Dr. Lang told me she already renewed the metoprolol for Mr Fink this morning", "reported", "it is done already"),
  no("if the lab says her sugar is above 6.5, text Mrs Novak that she must come in", "condition", "depends on the lab"),
  no("text Walter Gruber every morning at 8: take your pills", "repeat", "no repeated messages"),
  no("what would happen if I cancelled the appointment of Leo Maurer on Friday?", "hypothetical", "asks what would be"),
];
