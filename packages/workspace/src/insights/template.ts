/** The day of an instant in UTC, as in 2026-05-01. */
export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The first content of the insights file. */
export function getDefaultInsightsTemplate(date: Date = new Date()): string {
  return `# Memory Insights

## Patterns
<!-- What comes back and works. -->

## Principles
<!-- What is decided by, and why. -->

## Conventions
<!-- How things are done here. -->

## Pitfalls
<!-- What went wrong before. -->

## Context
<!-- What one has to know. -->

## Last Updated: ${isoDay(date)}
`;
}
