/** Exit codes of a producer process. */
export const EXIT = { stopped: 0, internal: 1, wrongConfiguration: 2, unreachable: 3 } as const;
