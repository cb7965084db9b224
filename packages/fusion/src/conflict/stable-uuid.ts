/**
 * A UUID (version 8) that follows from a text, the same for the same text. It names things inside one user's store; it is no
 * secret and no proof.
 */
export function stableUuid(text: string): string {
  const hex = [0x811c9dc5, 0x050c5d1f, 0x1b873593, 0x9e3779b9].map((seed) => mixed(text, seed)).join('');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** FNV-1a over UTF-16 units from a seed, with a final mix so that near texts lie far apart; 32 bits as hex. */
function mixed(text: string, seed: number): string {
  let state = seed >>> 0;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b) >>> 0;
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35) >>> 0;
  return ((state ^ (state >>> 16)) >>> 0).toString(16).padStart(8, '0');
}
