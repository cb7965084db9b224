import { createHash } from 'node:crypto';

/** Of the readable part; file systems take 255 for the whole. */
const NAME_BYTES = 120;
/** What would look like a name that was made here. */
const HASHED = /-[0-9a-f]{10}$/i;
/** Names that Windows keeps for devices, whatever follows the dot. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * A name for a file or folder that no text can leave its folder with. Two texts never share one, also where case does not count: what
 * is not plainly a name in lower case gets a hash of the text behind it, before `ending`.
 * @param keep a plain name that stays as it is, whatever its case
 */
export function safeName(text: string, ending = '', keep: ReadonlySet<string> = new Set()): string {
  if (keep.has(text)) return text;
  const stem = ending !== '' && text.endsWith(ending) ? text.slice(0, -ending.length) : text;
  const plain = stem
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  const short = cut(plain);
  const usable = short === stem && /^[a-z0-9._-]+$/.test(stem) && !DEVICES.test(stem) && !HASHED.test(stem);
  const hash = createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 10);
  return `${usable ? short : `${short === '' || DEVICES.test(short) ? 'x' : short}-${hash}`}${ending}`;
}

/** The first characters that fit. */
function cut(text: string): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > NAME_BYTES) break;
    kept += character;
  }
  return kept;
}
