import { z } from 'zod';

/** A JSON Schema (draft 2020-12) or a part of one. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

const DEFINED = '#/$defs/';
const SHARED = '#/components/schemas/';

/** JSON Schemas of one document: shapes with a name stand in it once. */
export interface JsonSchemas {
  /** @param io what is given to the service, or what it answers */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
  /** By name, in the order of their names. */
  shared(): Record<string, JsonSchema>;
}

/** Collects schemas for a document. @throws Error for two shapes with one name, and for recursive ones without any */
export function createJsonSchemas(): JsonSchemas {
  const shared = new Map<string, JsonSchema>();

  function share(name: string, schema: JsonSchema): void {
    if (name.startsWith('__')) throw new Error('a recursive schema needs a name: register it with an id');
    const stands = shared.get(name);
    if (stands && JSON.stringify(stands) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`);
    }
    shared.set(name, schema);
  }

  return {
    schemaOf(schema, io) {
      const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io, override: tidy }) as JsonSchema;
      for (const [name, defined] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
        share(name, withoutId(pointing(defined)));
      }
      const id = z.globalRegistry.get(schema)?.id;
      const own = pointing(root);
      if (id === undefined || own.$ref === `${SHARED}${id}`) return own;
      // A recursive one refers to itself as the root.
      share(id, withoutId(pointing(root, id)));
      return { $ref: `${SHARED}${id}` };
    },
    shared: () => Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What says the same twice, or nothing: the pattern of a format, and the bounds of every whole number. */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

const withoutId = ({ id: _, $id: __, ...schema }: JsonSchema): JsonSchema => schema;

/** References to definitions of the schema itself become references into the document. */
function pointing(schema: JsonSchema, root?: string): JsonSchema {
  const rewritten = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewritten);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? target(inner, root) : rewritten(inner),
      ]),
    );
  };
  return rewritten(schema) as JsonSchema;
}

function target(reference: string, root: string | undefined): string {
  if (reference.startsWith(DEFINED)) return SHARED + reference.slice(DEFINED.length);
  if (reference === '#' && root !== undefined) return SHARED + root;
  return reference;
}
