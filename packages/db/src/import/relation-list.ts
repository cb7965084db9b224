import { type FieldSource, fieldOf, readName, readNumber, readWord } from './fields.ts';
import { RELATIONS_PER_LINE } from './limits.ts';
import { isObject } from './metadata.ts';
import { IMPORT_RELATION_TYPES, type ImportRelation, RECORD_DEFAULTS } from './record.ts';

const FIELDS: readonly string[] = ['type', 'target', 'confidence'];

function readRelation(line: FieldSource, item: unknown, position: number): ImportRelation | null {
  const name = `relations[${position}]`;
  if (!isObject(item)) {
    line.report('wrong_type', name, `${name} must be an object with type and target`);
    return null;
  }
  if (Object.keys(item).some((field) => !FIELDS.includes(field))) {
    // A relation has no metadata in which it could be kept.
    line.report('unknown_field', name, `${name} has a field other than ${FIELDS.join(', ')}`);
    return null;
  }
  const source: FieldSource = { object: item, report: line.report, prefix: `${name}.` };
  for (const field of ['type', 'target']) {
    if (fieldOf(source, field) === null)
      line.report('missing', `${name}.${field}`, `${name}.${field} is missing`);
  }
  const type = readWord(source, 'type', IMPORT_RELATION_TYPES);
  const target = readName(source, 'target');
  const confidence = readNumber(source, 'confidence', { min: 0, max: 1 });
  if (type === null || target === null) return null;
  return { type, target, confidence: confidence ?? RECORD_DEFAULTS.relationConfidence };
}

/** The line's relations. `id` is the line's own. */
export function readRelations(line: FieldSource, id: string | null): ImportRelation[] {
  const value = fieldOf(line, 'relations');
  if (value === null) return [];
  if (!Array.isArray(value)) {
    line.report('wrong_type', 'relations', 'relations must be a list');
    return [];
  }
  if (value.length > RELATIONS_PER_LINE) {
    const message = `relations has ${value.length} entries; the limit is ${RELATIONS_PER_LINE}`;
    line.report('too_many', 'relations', message);
    return [];
  }
  const found: ImportRelation[] = [];
  for (const [position, item] of value.entries()) {
    const relation = readRelation(line, item, position);
    if (!relation) continue;
    const name = `relations[${position}]`;
    if (relation.target === id) line.report('self_relation', name, `${name} points at its own line`);
    if (found.some((other) => other.type === relation.type && other.target === relation.target)) {
      line.report('duplicate_relation', name, `${name} repeats an earlier type and target of its line`);
    }
    found.push(relation);
  }
  return found;
}
