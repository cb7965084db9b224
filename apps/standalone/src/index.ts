export { type Service, startService } from './service.ts';
