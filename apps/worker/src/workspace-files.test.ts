import { mkdir, mkdtemp, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, Workspace } from '@slowwave/db';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkspaceFilesOf } from './workspace-files.ts';

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'slowwave-roots-')));
  for (const name of ['given/project', 'given-not/project'])
    await mkdir(join(base, name), { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** Nothing here asks it anything. */
const database = {} as Database;
const has = (roots: string[] | null, rootDir: string | null): boolean => {
  const workspace = { tenant: 't', user: 'ana', workspace: 'notes', rootDir } as Workspace;
  return createWorkspaceFilesOf({ database, now: () => 0, roots })(workspace) !== null;
};

it('has documents in the database always, and folders below what it was given', () => {
  const [given, project] = [join(base, 'given'), join(base, 'given', 'project')];
  expect(has([], null)).toBe(true);
  expect(has([], project)).toBe(false);
  expect(has([given], project)).toBe(true);
  expect(has([project], project)).toBe(true);
  expect(has([join(base, 'missing'), `${given}/`], project)).toBe(true);
  expect(has([given], join(base, 'given-not', 'project'))).toBe(false);
  expect(has([project], given)).toBe(false);
  expect(has([given], join(given, 'missing'))).toBe(false);
  expect(has(null, join(base, 'given-not', 'project'))).toBe(true);
});

it('has no documents of a readonly workspace without a folder', () => {
  const workspace = { tenant: 't', user: 'ana', workspace: 'notes', rootDir: null, backend: 'readonly' };
  expect(createWorkspaceFilesOf({ database, now: () => 0, roots: null })(workspace as Workspace)).toBeNull();
});

it('follows no link that was put in the place of a folder', async () => {
  const project = join(base, 'given', 'project');
  await rename(project, join(base, 'moved'));
  await symlink(join(base, 'moved'), project);
  expect(has([join(base, 'given')], project)).toBe(false);
  expect(has(null, project)).toBe(false);
  // A root may be reached by a link: whoever runs the process chose it.
  await symlink(join(base, 'given-not'), join(base, 'alias'));
  expect(has([join(base, 'alias')], join(base, 'given-not', 'project'))).toBe(true);
});
