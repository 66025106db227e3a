import { addPhrases } from "./phrases-add.ts";
import { changePhrases } from "./phrases-change.ts";
import { clearPhrases } from "./phrases-clear.ts";
import { listPhrases } from "./phrases-list.ts";
import { searchPhrases } from "./phrases-search.ts";
import { updatePhrases } from "./phrases-update.ts";
import type { Phrase } from "./phrases-words.ts";

/** The phrases about todos for the rule planner. Of two that fit equally well, the first is used. */
export const todoPhrases: readonly Phrase[] = [
  ...addPhrases,
  ...listPhrases,
  ...changePhrases,
  ...clearPhrases,
  ...searchPhrases,
  ...updatePhrases,
];
