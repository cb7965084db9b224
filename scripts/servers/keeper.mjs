import { keep } from './keep.mjs';
import { provideServers } from './provide.mjs';

/** Its only argument: {postgres?}, settings of the server by their names, as JSON. */
const given = JSON.parse(process.argv[2] ?? '{}');

await keep((job) => provideServers({ ...job, postgres: given.postgres }));
