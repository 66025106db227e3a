/** How a function may be called. */
export interface FunctionSignature {
  readonly minArguments: number;
  readonly maxArguments: number;
  /** The work of one call, or of each argument if any number is allowed. See `maxWork` in evaluate-decimals.ts. */
  readonly work: number;
}

const any = Number.POSITIVE_INFINITY;

const signatures = {
  abs: signature(1, 1),
  acos: signature(1, 1, 600),
  acosh: signature(1, 1, 250),
  asin: signature(1, 1, 600),
  asinh: signature(1, 1, 250),
  atan: signature(1, 1, 600),
  atan2: signature(2, 2, 600),
  atanh: signature(1, 1, 250),
  average: signature(1, any, 3),
  avg: signature(1, any, 3),
  cbrt: signature(1, 1, 100),
  ceil: signature(1, 1),
  cos: signature(1, 1, 250),
  cosh: signature(1, 1, 250),
  degrees: signature(1, 1, 2),
  exp: signature(1, 1, 300),
  factorial: signature(1, 1),
  floor: signature(1, 1),
  gcd: signature(1, any, 200),
  hypot: signature(1, any, 100),
  lcm: signature(1, any, 200),
  ln: signature(1, 1, 250),
  log: signature(1, 2, 500),
  log10: signature(1, 1, 250),
  log2: signature(1, 1, 500),
  max: signature(1, any, 2),
  mean: signature(1, any, 3),
  min: signature(1, any, 2),
  mod: signature(2, 2, 5),
  pow: signature(2, 2),
  radians: signature(1, 1, 2),
  root: signature(2, 2, 500),
  round: signature(1, 2),
  sign: signature(1, 1),
  sin: signature(1, 1, 250),
  sinh: signature(1, 1, 250),
  sqrt: signature(1, 1, 100),
  sum: signature(1, any, 2),
  tan: signature(1, 1, 500),
  tanh: signature(1, 1, 250),
  trunc: signature(1, 1),
} satisfies Record<string, FunctionSignature>;

/** The name of a function, in lower case. */
export type FunctionName = keyof typeof signatures;

/** All functions, in alphabetical order. */
export const functionNames = Object.keys(signatures) as readonly FunctionName[];

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

/** How the function may be called. */
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

function signature(minArguments: number, maxArguments: number, work = 1): FunctionSignature {
  return { minArguments, maxArguments, work };
}
