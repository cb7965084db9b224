import { keep } from './keep.mjs';
import { provideServers } from './provide.mjs';

await keep(provideServers);
