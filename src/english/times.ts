/** From the day that `Date` counts as 0. */
export const weekdays: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** From the month that `Date` counts as 0. */
export const months: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** Words from which a model makes a date or a time; "may" and "march" have other meanings. */
export const timeWords: ReadonlySet<string> = new Set([
  ..."today tonight tomorrow yesterday noon midnight morning afternoon evening".split(" "),
  ..."day days week weeks weekend month months year years".split(" "),
  ...weekdays,
  ...months.filter((name) => name !== "may" && name !== "march"),
]);

/** Words for the same in other languages: a request in them speaks of a time, too. */
export const foreignTimeWords: ReadonlySet<string> = new Set([
  ..."heute morgen gestern übermorgen uhr woche monat montag dienstag mittwoch donnerstag freitag samstag sonntag".split(
    " ",
  ),
  ..."demain hier aujourd hui semaine mois lundi mardi mercredi jeudi vendredi samedi dimanche".split(" "),
  ..."hoy mañana ayer semana mes lunes martes miércoles jueves viernes sábado domingo".split(" "),
  ..."oggi domani ieri settimana mese lunedì martedì mercoledì giovedì venerdì sabato domenica".split(" "),
  ..."hoje amanhã ontem mês segunda terça quarta quinta sexta".split(" "),
  ..."vandaag gisteren week maand maandag dinsdag woensdag donderdag vrijdag zaterdag zondag".split(" "),
]);

/** Short names of weekdays and months, which mean something else without a number or a preposition. */
export const shortTimeWords: ReadonlySet<string> = new Set(
  [...weekdays, ...months].map((name) => name.slice(0, 3)).concat("tue", "tues", "thur", "thurs", "sept"),
);
