import { addPhrases } from "./add.ts";
import { changePhrases } from "./change.ts";
import { clearPhrases } from "./clear.ts";
import { listPhrases } from "./list.ts";
import { searchPhrases } from "./search.ts";
import { updatePhrases } from "./update.ts";
import type { Phrase } from "./words.ts";

/** The phrases about todos for the rule planner. Of two that fit equally well, the first is used. */
export const todoPhrases: readonly Phrase[] = [
  ...addPhrases,
  ...listPhrases,
  ...changePhrases,
  ...clearPhrases,
  ...searchPhrases,
  ...updatePhrases,
];
