import { globalRegistry } from "zod/v4/core";

type Metadata = Readonly<Record<string, unknown>>;
type Registered = Parameters<typeof globalRegistry.add>[0];

/** What this module reads of a schema of zod 4. Those of zod/mini have no `meta`. */
interface Zod4Schema {
  meta?(): Metadata | undefined;
  meta?(data: object): unknown;
  clone(): object;
}

/** A copy of a schema of zod 4 that is marked as sensitive. */
export function markZod4<TSchema>(schema: TSchema): TSchema {
  const zod = schema as unknown as Zod4Schema;
  const metadata = { ...metadataOf(zod), sensitive: true };
  if (zod.meta !== undefined) return zod.meta(metadata) as TSchema;
  const copy = zod.clone();
  globalRegistry.add(copy as Registered, metadata);
  return copy as TSchema;
}

/** Whether a schema of zod 4 is itself marked as sensitive. */
export function isMarkedZod4(schema: unknown): boolean {
  return metadataOf(schema as Zod4Schema)?.sensitive === true;
}

/** Another copy of zod has a registry of its own, which only its schemas know. */
function metadataOf(schema: Zod4Schema): Metadata | undefined {
  return schema.meta === undefined ? globalRegistry.get(schema as unknown as Registered) : schema.meta();
}
