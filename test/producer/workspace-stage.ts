import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadImport } from '@slowwave/db';
import { expect } from 'vitest';
import { addUsers, BEARER, CANARY, HOST, openStage, type Stage } from './harness.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
type Reply = Awaited<ReturnType<ReturnType<Stage['newProducer']>['producer']['app']['inject']>>;

/** A producer that may work below one folder, with the users ana and ben of two tenants, and ways to make workspaces of ana. */
export interface WorkspaceStage {
  stage: Stage;
  /** The folder below which workspaces may be; with a space in its name. */
  root: string;
  log: ReturnType<Stage['newProducer']>['log'];
  /** @param headers in place of the operator's token */
  send(method: Method, url: string, payload?: object, headers?: object): Promise<Reply>;
  put(name: string, body: object): Promise<Reply>;
  /** The address of one of the memory routes, of ana. */
  at(name: string, route: string, more?: Record<string, string>): string;
  newDocuments(more?: object): Promise<string>;
  newFolder(more?: object): Promise<{ name: string; folder: string }>;
  close(): Promise<void>;
}

/** Status and code of a refusal. */
export const told = (reply: Reply): [number, string] => [reply.statusCode, reply.json().code];

export async function openWorkspaceStage(): Promise<WorkspaceStage> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'slowwave workspaces ')));
  const stage = await openStage();
  const { producer, log } = stage.newProducer({ folders: [root] });
  for (const tenant of ['default', 'other']) await addUsers(stage.database, tenant, ['ana', 'ben']);
  const line = { user: 'ana', content: `important to ana ${CANARY}`, category: 'fact', importance: 9 };
  await loadImport(stage.database, JSON.stringify(line), {
    format: 'jsonl',
    defaults: { tenant: 'default' },
    at: Date.now() - 60_000,
    maxContentChars: 1_000,
  });
  let serial = 0;

  const send: WorkspaceStage['send'] = (method, url, payload, headers = BEARER) =>
    producer.app.inject({
      method,
      url,
      headers: { ...HOST, ...headers, ...(payload ? { 'content-type': 'application/json' } : {}) },
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    });
  const put: WorkspaceStage['put'] = (name, body) =>
    send('PUT', `/v1/workspaces/${name}`, { user: 'ana', ...body });

  return {
    stage,
    root,
    log,
    send,
    put,
    at: (name, route, more = {}) =>
      `/api/memory${route}?${new URLSearchParams({ user: 'ana', workspace: name, ...more })}`,
    async newDocuments(more = {}) {
      const name = `w${++serial}`;
      expect((await put(name, more)).statusCode).toBe(201);
      return name;
    },
    async newFolder(more = {}) {
      const name = `w${++serial}`;
      const folder = path.join(root, name);
      await mkdir(folder);
      expect((await put(name, { rootDir: folder, ...more })).statusCode).toBe(201);
      return { name, folder };
    },
    async close() {
      await stage.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}
