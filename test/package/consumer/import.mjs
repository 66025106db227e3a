import * as planwright from "planwright";
import packageJson from "planwright/package.json" with { type: "json" };
import { jsonSchema } from "planwright/schemas";
import * as testing from "planwright/testing";
import { z as zod3 } from "zod/v3";
import { z as zod4 } from "zod/v4";
import { exercise } from "./exercise.mjs";

const told = await exercise({ planwright, testing, zod3, zod4 });
if (jsonSchema({ type: "object" })["~standard"].validate(1).issues === undefined) throw new Error("1 is no object");
console.log(`${process.version} import ${packageJson.name}: ${told}`);
