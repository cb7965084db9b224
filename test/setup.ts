import fc from 'fast-check';

// Continuous integration tries the same cases every time; everybody else tries new ones. A counterexample prints its seed.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
