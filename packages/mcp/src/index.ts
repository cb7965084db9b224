export { ANSWER_TOKENS } from './answer.ts';
export { PAGE_TYPE, PAGE_URI } from './page.ts';
export { createMcpServer, TOOLS } from './server.ts';
export { serveSubscriptions, watchNights } from './subscriptions.ts';
export { type McpAccess, mayCall } from './tool.ts';
