/** Ways from a text to its value. Each is loaded on demand, so that a fresh process holds only the one it measures. */
export const evaluators = {
  async planwright() {
    const { createCalculator } = await import("planwright");
    const calculator = createCalculator();
    const read = ({ value }) => value;
    return (expression) => {
      const answer = calculator.execute({ expression }, {});
      return answer instanceof Promise ? answer.then(read) : answer.value;
    };
  },
  async mathjs() {
    const { evaluate } = await import("mathjs");
    return evaluate;
  },
  async "expr-eval-fork"() {
    const { Parser } = await import("expr-eval-fork");
    return (expression) => Parser.evaluate(expression);
  },
};
