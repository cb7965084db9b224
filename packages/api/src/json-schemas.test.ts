import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createJsonSchemas } from './json-schemas.ts';

describe('the schemas of a document', () => {
  it('stand in it once where they have a name, wherever they are used', () => {
    const schemas = createJsonSchemas();
    const thing = z.strictObject({ size: z.int() }).meta({ id: 'TestThing', description: 'A thing.' });
    const reference = { $ref: '#/components/schemas/TestThing' };
    expect(schemas.schemaOf(thing, 'output')).toEqual(reference);
    const list = schemas.schemaOf(z.strictObject({ things: z.array(thing) }), 'output');
    expect(list).toMatchObject({ properties: { things: { type: 'array', items: reference } } });
    expect(schemas.shared()).toEqual({
      TestThing: {
        type: 'object',
        description: 'A thing.',
        properties: { size: { type: 'integer' } },
        required: ['size'],
        additionalProperties: false,
      },
    });
  });

  it('may hold themselves when they have a name', () => {
    interface Branch {
      next: Branch[];
    }
    const branch: z.ZodType<Branch> = z.strictObject({
      get next() {
        return z.array(branch);
      },
    });
    const schemas = createJsonSchemas();
    expect(() => schemas.schemaOf(z.strictObject({ root: branch }), 'output')).toThrow('needs a name');
    branch.register(z.globalRegistry, { id: 'TestBranch' });
    const reference = { $ref: '#/components/schemas/TestBranch' };
    expect(schemas.schemaOf(branch, 'output')).toEqual(reference);
    expect(schemas.shared().TestBranch).toMatchObject({
      properties: { next: { type: 'array', items: reference } },
    });
  });

  it('with one name are one', () => {
    const schemas = createJsonSchemas();
    const given = z.strictObject({ size: z.number().default(1) }).meta({ id: 'TestGiven' });
    schemas.schemaOf(z.array(given), 'input');
    // What may be left out of what is given stands in what is answered.
    expect(() => schemas.schemaOf(z.array(given), 'output')).toThrow('two schemas are named TestGiven');
  });

  it('say what is given and what is answered, and nothing twice', () => {
    const schemas = createJsonSchemas();
    const schema = z.object({ id: z.uuid(), count: z.coerce.number().default(5), flag: z.stringbool() });
    expect(schemas.schemaOf(schema.shape.id, 'input')).toEqual({ type: 'string', format: 'uuid' });
    expect(schemas.schemaOf(schema, 'input')).toMatchObject({
      required: ['id', 'flag'],
      properties: { count: { type: 'number', default: 5 }, flag: { type: 'string' } },
    });
    expect(schemas.schemaOf(schema, 'output')).toMatchObject({
      required: ['id', 'count', 'flag'],
      properties: { flag: { type: 'boolean' } },
    });
  });
});
