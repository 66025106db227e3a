/** The planner as it is to somebody who agrees to the first proposal, but answers no question. */
export function withFirstProposal(planner, toPlan) {
  return {
    ...planner,
    name: planner.name,
    plan: async (request) => {
      try {
        return await planner.plan(request);
      } catch (error) {
        const [first] = error.details?.proposals ?? [];
        if (first === undefined || first.asks !== undefined) throw error;
        return toPlan(first);
      }
    },
  };
}
