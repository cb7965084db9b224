/** The most rows of one side that are compared in one call: two such tiles stay in the cache of a core. */
export const TILE_ROWS = 64;
/** Up to here a sum of 32 bits holds every dot product, and the margin of the integers is proved. */
export const MAX_DIMENSIONS = 65_536;
/** The most memory that the integers of one kernel may take, in bytes. */
export const MAX_ROOM_BYTES = 1_073_741_824;
/** Components are this much larger as integers: a vector of length 1 just fits 16 bits. */
export const SCALE = 32_767;
/** As a bound: reached by no dot product. */
export const UNREACHED = 2_147_483_647;
