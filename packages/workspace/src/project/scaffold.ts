/** The first content of a project's memory when a backend is set up for it, with the sections that insights are sorted into. */
export function getDefaultMemoryScaffold(): string {
  return `# Project Memory

<!-- What stays true about this project. Keep each point short, and correct it in place instead of adding a second one. -->

## Architecture

<!-- How the parts fit together, where their borders are, and why. -->

## Conventions

<!-- How things are done here: names, formats, order of work. -->

## Pitfalls

<!-- What went wrong before and how to keep clear of it. -->

## Context

<!-- What one has to know besides: constraints, surroundings, plans. -->
`;
}
