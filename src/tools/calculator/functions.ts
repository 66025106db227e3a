/** Number of arguments that a function takes. */
export interface FunctionSignature {
  readonly minArguments: number;
  readonly maxArguments: number;
  /** The work of one call, or of each argument if any number is allowed. See `maxWork` in evaluate-decimals.ts. */
  readonly work: number;
}

const any = Number.POSITIVE_INFINITY;

/** Functions with the same signature: the fewest and the most arguments, and the work of a call. */
function alike<const TName extends string>(names: readonly TName[], min: number, max: number, work: number) {
  const signature: FunctionSignature = { minArguments: min, maxArguments: max, work };
  return Object.fromEntries(names.map((name) => [name, signature])) as Record<TName, FunctionSignature>;
}

const signatures = {
  ...alike(["abs", "ceil", "factorial", "floor", "sign", "trunc"], 1, 1, 1),
  ...alike(["degrees", "radians"], 1, 1, 2),
  ...alike(["cbrt", "sqrt"], 1, 1, 100),
  ...alike(["acosh", "asinh", "atanh", "cos", "cosh", "ln", "log10", "sin", "sinh", "tanh"], 1, 1, 250),
  ...alike(["exp"], 1, 1, 300),
  ...alike(["log2", "tan"], 1, 1, 500),
  ...alike(["acos", "asin", "atan"], 1, 1, 600),
  ...alike(["round"], 1, 2, 1),
  ...alike(["log"], 1, 2, 500),
  ...alike(["pow"], 2, 2, 1),
  ...alike(["mod"], 2, 2, 5),
  ...alike(["root"], 2, 2, 500),
  ...alike(["atan2"], 2, 2, 600),
  ...alike(["max", "min", "sum"], 1, any, 2),
  ...alike(["average", "avg", "mean"], 1, any, 3),
  ...alike(["hypot"], 1, any, 100),
  ...alike(["gcd", "lcm"], 1, any, 200),
};

/** The name of a function, in lower case. */
export type FunctionName = keyof typeof signatures;

/** All functions, in alphabetical order. */
export const functionNames = Object.keys(signatures).sort() as readonly FunctionName[];

const constants = ["e", "pi", "tau"] as const;

/** The name of a constant: e, pi, or tau, which is two pi. */
export type ConstantName = (typeof constants)[number];

/** All constants. */
export const constantNames: readonly ConstantName[] = constants;

/** The function with this name, in upper or lower case. Only listed names: nothing is inherited. */
export function findFunction(name: string): FunctionName | undefined {
  const lowerCase = name.toLowerCase();
  return Object.hasOwn(signatures, lowerCase) ? (lowerCase as FunctionName) : undefined;
}

/** The constant with this name, in upper or lower case. */
export function findConstant(name: string): ConstantName | undefined {
  const lowerCase = name.toLowerCase();
  return constants.find((constant) => constant === lowerCase);
}

/** Says how the function may be called. */
export function signatureOf(name: FunctionName): FunctionSignature {
  return signatures[name];
}

/** Undefined if a number of arguments is allowed, else the expected number as text. */
export function checkArgumentCount(name: FunctionName, count: number): string | undefined {
  const { minArguments, maxArguments } = signatures[name];
  if (count >= minArguments && count <= maxArguments) return undefined;
  if (maxArguments === any) return `at least ${minArguments}`;
  return minArguments === maxArguments ? `${minArguments}` : `${minArguments} or ${maxArguments}`;
}
