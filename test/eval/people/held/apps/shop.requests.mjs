export const requests = ({ one, multi, no, ref, t, or, dow, md }) => [
  one("refund order 4471 because the box was open and two cups were broken", "near", [
    "RefundOrder",
    { order: 4471, reason: t("the box was open and two cups were broken") },
  ]),
  one("refund 12.50 euros on order 3902 because of late delivery", "near", [
    "RefundOrder",
    { order: 3902, euros: 12.5, reason: "late delivery" },
  ]),
  one("refund €40 for order 5120 because it wasn't the colour he ordered", "near", [
    "RefundOrder",
    { order: 5120, euros: 40, reason: "it wasn't the colour he ordered" },
  ]),
  one("show me the open orders from Beatrix von Hagen", "near", [
    "ListOrders",
    { status: "open", customer: "Beatrix von Hagen" },
  ]),
  one("list all returned orders please", "near", ["ListOrders", { status: "returned" }]),
  one("set the price of the oak side table to 1,249 euros", "near", [
    "SetPrice",
    { product: t("oak side table", "the"), euros: 1249 },
  ]),
  one("change the price of linen napkins to 8,90 € from 1 January", "near", [
    "SetPrice",
    { product: "linen napkins", euros: 8.9, from: "2027-01-01" },
  ]),
  one("add 48 beeswax candles to the stock", "near", ["AddStock", { product: "beeswax candles", quantity: 48 }]),
  one("120 paper bags arrive on 3 December", "near", [
    "AddStock",
    { product: "paper bags", quantity: 120, arrives: md(12, 3) },
  ]),
  one("how many red wool scarves are left", "near", ["CheckStock", { product: "red wool scarves" }]),
  one("write to Gudrun Pfeiffer: sorry, the blue one is sold out, would green be ok?", "near", [
    "MessageCustomer",
    { customer: "Gudrun Pfeiffer", message: "sorry, the blue one is sold out, would green be ok?" },
  ]),
  one("tell Mr. Castellano that his order 4388 ships on Monday and he doesn't have to be home", "near", [
    "MessageCustomer",
    {
      customer: "Mr. Castellano",
      message: or(
        "his order 4388 ships on Monday and he doesn't have to be home",
        "your order 4388 ships on Monday and you don't have to be home",
      ),
    },
  ]),
  one("create a 15 percent discount on garden chairs until 24 December", "near", [
    "CreateDiscount",
    { percent: 15, product: "garden chairs", until: md(12, 24) },
  ]),
  one("create a discount of 20% until Sunday", "near", ["CreateDiscount", { percent: 20, until: dow("sunday") }]),
  // a non-native speaker
  one("the customer want back his money for the order 2207, the shoes is too small", "syn", [
    "RefundOrder",
    { order: 2207, reason: t("shoes too small", "the is are") },
  ]),
  // a polite older person
  one(
    "Would you be kind enough to inform Mrs Eleanor Whitcombe that the teapot she asked about on 12 November is back and costs 34 euros?",
    "extra",
    [
      "MessageCustomer",
      {
        customer: or("Mrs Eleanor Whitcombe", "Eleanor Whitcombe"),
        message: or(
          "the teapot she asked about on 12 November is back and costs 34 euros",
          "the teapot you asked about on 12 November is back and costs 34 euros",
        ),
      },
    ],
  ),
  // dictation
  one("new price for the small ceramic bowl nineteen euros ninety starting on the tenth of december", "syn", [
    "SetPrice",
    { product: t("small ceramic bowl", "the"), euros: 19.9, from: md(12, 10) },
  ]),
  // a teenager
  one("any hoodies left in size M", "terse", ["CheckStock", { product: t("hoodies size M", "in") }]),
  // a developer at a terminal
  one("stock += 200 usb-c cables", "terse", ["AddStock", { product: "usb-c cables", quantity: 200 }]),
  // somebody annoyed
  one("ugh, not again... order 3315 never turned up, just give the woman her 89 euros back!!", "extra", [
    "RefundOrder",
    { order: 3315, euros: 89, reason: t("never turned up", "order 3315 it the") },
  ]),
  // a clerk who types fast
  one("shwo all shiped ordres", "typo", ["ListOrders", { status: "shipped" }]),
  one("refnud order 6001 becuase the zippr broke after 2 days", "typo", [
    "RefundOrder",
    { order: 6001, reason: or("the zippr broke after 2 days", "the zipper broke after 2 days") },
  ]),
  // a shop owner
  one("from Monday on the winter boots should be 79 instead of 99", "order", [
    "SetPrice",
    { product: t("winter boots", "the"), euros: 79, from: dow("monday") },
  ]),
  one(
    "until the end of the year 10 % off everything",
    "order",
    ["CreateDiscount", { percent: 10, until: md(12, 31) }],
    ["CreateDiscount", { percent: 10, product: "everything", until: md(12, 31) }],
  ),
  one("we just got 36 jars of fig jam in from the supplier", "syn", [
    "AddStock",
    { product: or("jars of fig jam", "fig jam"), quantity: 36 },
  ]),

  multi("let me see what's still open and pay back order 7710, the customer changed her mind", "and", [
    ["ListOrders", { status: "open" }],
    ["RefundOrder", { order: 7710, reason: t("customer changed her mind", "the") }],
  ]),
  multi(
    "give 15 euros back on order 5533 as there was a scratch on the lid and send Mr and Mrs Aydin this: the rest stays as agreed, thank you for your patience",
    "and",
    [
      ["RefundOrder", { order: 5533, euros: 15, reason: t("scratch on the lid", "there was a") }],
      [
        "MessageCustomer",
        { customer: "Mr and Mrs Aydin", message: "the rest stays as agreed, thank you for your patience" },
      ],
    ],
  ),
  multi(
    "raise the espresso cups to 14.50, then explain to Nora Lindqvist that hers still cost 12 euros",
    "then",
    [
      ["SetPrice", { product: t("espresso cups", "the"), euros: 14.5 }],
      [
        "MessageCustomer",
        { customer: "Nora Lindqvist", message: or("hers still cost 12 euros", "yours still cost 12 euros") },
      ],
    ],
    { ordered: true },
  ),
  multi("the delivery is here, put 20 mugs into stock and 35 dinner plates", "ellipsis", [
    ["AddStock", { product: "mugs", quantity: 20 }],
    ["AddStock", { product: "dinner plates", quantity: 35 }],
  ]),
  multi("see how many yoga mats we still have and lower their price to 29 euros", "pronoun", [
    ["CheckStock", { product: "yoga mats" }],
    ["SetPrice", { product: "yoga mats", euros: 29 }],
  ]),
  multi(
    "make me a 10 percent voucher that runs until Sunday 6 December and send the code to Jamal Whitfield",
    "result",
    [
      ["CreateDiscount", { percent: 10, until: md(12, 6) }],
      ["MessageCustomer", { customer: "Jamal Whitfield", message: ref(0) }],
    ],
    { ordered: true },
  ),

  no("refund order 4410", "missing", "no reason given"),
  no("the price of the lavender soap has to change from 1 December", "missing", "no price"),
  no("do not give Mrs Tanaka any money back for order 2981, the return period is over", "negation", "denies it"),
  no("print the shipping label for order 6120", "no-tool", "no labels"),
  no("what a day, 30 customers before noon and not one of them said hello", "smalltalk", "no wish"),
  no("Ben says he put 50 tote bags into stock yesterday", "reported", "it is done already"),
  // a parent in a hurry
  no("if the advent candles don't sell by Friday, drop the price to 5 euros", "condition", "depends on the sales"),
  no("every Friday at 6 set the price of the leftover bread to 1 euro", "repeat", "no repeated changes"),
  no(
    "suppose we gave 30 percent off on all coats until January, what would we lose",
    "hypothetical",
    "asks what would be",
  ),
];
