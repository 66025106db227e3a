/** Names for earlier results in an expression: letters that have no other meaning in the calculator. */
export const variableNames = "abcdfghjklmnopqr";
