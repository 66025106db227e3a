const planwright = require("planwright");
const testing = require("planwright/testing");
const { name } = require("planwright/package.json");
const { z: zod3 } = require("zod/v3");
const { z: zod4 } = require("zod/v4");

import("./exercise.mjs")
  .then(({ exercise }) => exercise({ planwright, testing, zod3, zod4 }))
  .then((told) => console.log(`${process.version} require ${name}: ${told}`));
