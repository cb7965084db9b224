/** How what `npm test` leaves out is parted, and which part a commit gets. */

/** Each takes continuous integration about a quarter of an hour. */
export const PARTS = 4;

/**
 * @param {string} commit a hash, hexadecimal
 * @returns {number} 1 to PARTS, each for as many commits as any other
 */
export const partOf = (commit, parts = PARTS) => (Number.parseInt(commit.slice(0, 8), 16) % parts) + 1;
