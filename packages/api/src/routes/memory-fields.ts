import { LEARNED_FROM, MEMORY_TYPES, ORIGINS, VISIBILITIES } from '@slowwave/fusion';
import { z } from 'zod';
import { categoryField, idField, instantField } from '../fields.ts';

const words = <const Words extends readonly [string, ...string[]]>(list: Words) =>
  z.enum(list, { error: `expected one of ${list.join(', ')}` });

export const BANDS = ['active', 'dormant', 'archived'] as const;

export const memoryTypeField = words(MEMORY_TYPES);
export const originField = words(ORIGINS);
export const visibilityField = words(VISIBILITIES);
export const learnedFromField = words(LEARNED_FROM);
export const bandField = words(BANDS);

const SHARE = 'expected a number from 0 to 1';
/** 0 to 1. */
export const shareField = z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE);

const IMPORTANCE = 'expected a whole number from 1 to 10';
export const importanceField = z
  .number({ error: IMPORTANCE })
  .int(IMPORTANCE)
  .min(1, IMPORTANCE)
  .max(10, IMPORTANCE);

/** Epoch milliseconds, where something may not be known or not have happened. */
export const instantOrNull = instantField.nullable();
export const countField = z.int().min(0);

/** The id of a memory in an address. */
export const memoryPath = z.object({
  id: idField.describe('Our id of the memory, or the one that its writer gave it.'),
});

/** What the journal calls the changes it keeps. */
export const changeKindField = words([
  'fusion',
  'undo',
  'redo',
  'edit',
  'merge',
  'conflict',
  'prominence',
  'audit',
  'archive',
  'prune',
  'restore',
  'rem',
  'reflection',
  'forget',
  'consolidate',
]);

/** A memory as lists show it. */
export const memoryFields = {
  id: z.uuid(),
  externalId: z
    .string()
    .nullable()
    .describe('The id that its writer gave it; null for one that a tier made.'),
  user: z.string(),
  content: z.string(),
  category: categoryField,
  memoryType: memoryTypeField,
  importance: importanceField,
  confidence: shareField,
  trust: shareField,
  origin: originField.describe('Who said it.'),
  learnedFrom: learnedFromField,
  visibility: visibilityField,
  workspace: z.string().nullable(),
  session: z.string().nullable(),
  isLatest: z.boolean(),
  version: z.int(),
  prominence: shareField.describe('How readily it comes to mind, as of now.'),
  band: bandField.describe('Active from prominence 0.5, dormant from 0.1, archived below.'),
  documentDate: instantField.describe('When it was said.'),
  eventDate: instantOrNull.describe('When it happened or will happen.'),
  validFrom: instantOrNull,
  validTo: instantOrNull,
  expiresAt: instantOrNull,
  archivedAt: instantOrNull,
  supersededBy: z.uuid().nullable(),
  createdAt: instantField,
  updatedAt: instantField,
};

const FLAG = 'expected true or false';
/** True or false in an address. */
export const flagField = z.stringbool({ error: FLAG }).meta({ type: 'boolean' });

export const saidField = z
  .strictObject({ from: z.number(), to: z.number() })
  .describe(
    'From the oldest to the newest day on which it was said; they differ in derived memories and where duplicates were merged.',
  );
