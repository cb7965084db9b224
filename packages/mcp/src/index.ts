export { ANSWER_TOKENS } from './answer.ts';
export { createMcpServer, TOOLS } from './server.ts';
export { type McpAccess, mayCall } from './tool.ts';
