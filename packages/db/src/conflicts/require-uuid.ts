import { InputError } from '../input-error.ts';
import { uuidOrNull } from '../memories/addressed.ts';

/** An id of ours by its form. @throws InputError `invalid_text` */
export function requireUuid(value: string, field: string): void {
  if (uuidOrNull(value) === null) throw new InputError('invalid_text', field, `${field} must be a UUID`);
}
