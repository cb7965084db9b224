/** The first content of a project's long-term memory. */
export function getDefaultLongTermMemoryScaffold(): string {
  return `# Project Memory

<!-- What stays true about this project. Keep each point short, and correct it in place instead of adding a second one. -->

## Decisions

## Conventions

## Pitfalls

## Context
`;
}

/** The first content of the daily notes of a date in UTC. */
export function getDefaultDailyMemoryScaffold(date: Date = new Date()): string {
  return `# Daily Memory ${date.toISOString().slice(0, 10)}

<!-- Notes of the day, one point per line. What proves to last moves to MEMORY.md. -->
`;
}

/** The first content of DREAMS.md. */
export function getDefaultDreamsScaffold(): string {
  return `# Memory Dreams

<!-- What was found while nobody was working: patterns, conflicts and connections, one entry per night. -->
`;
}

/** The first content of an agent's own long-term memory. */
export function agentLongTermScaffold(): string {
  return `# Agent Memory

<!-- What this agent learned about its own work, apart from the project. -->

## Preferences

## Lessons

## Context
`;
}

export function agentDailyScaffold(date: Date): string {
  return `# Agent Daily Memory ${date.toISOString().slice(0, 10)}

<!-- Notes of the day of this agent, one point per line. -->
`;
}

export function agentDreamsScaffold(): string {
  return `# Agent Dreams

<!-- What was found in this agent's notes, one entry per night. -->
`;
}
