const variants = 16;

/** Sets of expressions; each has several texts, so that a cache of texts that one library may have is of no use. */
export const expressions = {
  "(41 * 7) + 13": vary((index) => `(${41 + index} * 7) + 13`),
  "50 operators, + - * and whole numbers": vary((index) => join(index, ["+", "*", "-"], (at) => (at % 9) + 1)),
  "50 operators, + - * and decimals": vary((index) => join(index, ["+", "*", "-"], (at) => ((at % 9) + 1) / 8)),
  "50 operators, + - * / and whole numbers": vary((index) => join(index, ["+", "*", "-", "/"], (at) => (at % 9) + 1)),
  "0.1 + 0.2 * 3.75 - 12.5 / 4": vary((index) => `0.1 + 0.2 * ${index}.75 - 12.5 / 4`),
  "sqrt(2) * 3.5": vary((index) => `sqrt(${index + 2}) * 3.5`),
};

function vary(make) {
  return Array.from({ length: variants }, (_none, index) => make(index));
}

function join(first, operators, operandAt) {
  let text = String(first + 1);
  for (let at = 0; at < 50; at++) text += ` ${operators[at % operators.length]} ${operandAt(at)}`;
  return text;
}
