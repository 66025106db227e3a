import fc from "fast-check";

// The same cases in every run, so that a failure is never a surprise; look for new ones with another seed.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_260_101) });
