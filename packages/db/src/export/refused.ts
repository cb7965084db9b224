/** A line of an export that cannot be restored: a code and a sentence without anything of the line. */
export class RestoreRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'RestoreRefused';
    this.code = code;
  }
}
