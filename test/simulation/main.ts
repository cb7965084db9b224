import { parseArgs } from 'node:util';
import { embeddedFixture, serverFixture } from '../fixtures/databases.ts';
import { createPeople } from './people.ts';
import { faultsOf, printSimulation } from './print.ts';
import { simulate } from './simulate.ts';

/**
 * npm run simulate [-- --days 400 --users 30 --skip 0 --database server --schedules]
 * --skip: leave out the first so many users (two halves may run side by side); --schedules: without steps, schedules alone
 */
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '400' },
    users: { type: 'string', default: '30' },
    skip: { type: 'string', default: '0' },
    database: { type: 'string', default: 'server' },
    schedules: { type: 'boolean', default: false },
  },
});
const days = Number(values.days);
const users = Number(values.users);
const skip = Number(values.skip);
if (!(days >= 7 && days <= 4000) || !(users >= 1 && users <= 1000) || !(skip >= 0 && skip < users)) {
  console.error('--days: 7 to 4000; --users: 1 to 1000; --skip: less than users');
  process.exit(2);
}
const fixture = await (values.database === 'embedded' ? embeddedFixture() : serverFixture());
// Three days in the middle, from day 200 on where there are that many.
const from = Math.min(200, Math.floor(days / 2));
try {
  const report = await simulate({
    database: fixture.database,
    people: createPeople(users).slice(skip),
    start: Date.UTC(2026, 0, 5),
    days,
    downtime: { from, to: from + 3 },
    tickMs: 5 * 60_000,
    concurrency: values.database === 'embedded' ? 1 : 6,
    world: !values.schedules,
    ...(values.schedules ? { tierSteps: { light: [], deep: [], sleep: [] } } : {}),
    onDay: (day) => {
      if (day % 10 === 0) console.error(`day ${day} of ${days}`);
    },
  });
  printSimulation(report, console.log);
  const faults = faultsOf(report, { downtime: true });
  for (const fault of faults.slice(0, 50)) console.error(`FAULT ${fault}`);
  console.log(faults.length === 0 ? 'everything ran as promised' : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await fixture.drop();
}
