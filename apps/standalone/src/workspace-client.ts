import type { WorkspaceCalls, WriteInput } from '@slowwave/producer';

type Key = Parameters<WorkspaceCalls['show']>[0];
type Field = string | number | undefined;

/** One request to the service. */
type Call = <T>(path: string, init?: RequestInit) => Promise<T>;

function queryOf(fields: Readonly<Record<string, Field>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

function bodyOf({ content, by, expected }: WriteInput): object {
  return { content, by, ...(expected === undefined ? {} : { expectedVersion: expected }) };
}

/** What the running service does with workspaces. */
export function workspaceClient(call: Call): WorkspaceCalls {
  const send = <T>(method: 'PUT' | 'POST', path: string, body: object) =>
    call<T>(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const memory = ({ tenant, user, workspace }: Key, route: string, more: Record<string, Field> = {}) =>
    `/api/memory${route}?${queryOf({ tenant, user, workspace, ...more })}`;
  const address = ({ tenant, user, workspace }: Key, route: string, more: Record<string, Field> = {}) =>
    `/v1/workspaces/${encodeURIComponent(workspace)}${route}?${queryOf({ tenant, user, ...more })}`;

  return {
    put: ({ tenant, user, workspace }, change) =>
      send('PUT', `/v1/workspaces/${encodeURIComponent(workspace)}`, { tenant, user, ...change }),
    list: async ({ tenant, user }) => {
      type List = { workspaces: Awaited<ReturnType<WorkspaceCalls['list']>> };
      return (await call<List>(`/v1/workspaces?${queryOf({ tenant, user })}`)).workspaces;
    },
    show: (of) => call(address(of, '')),
    remove: async (of) => {
      // Whoever comes here was asked already.
      await call(address(of, '', { confirm: of.workspace }), { method: 'DELETE' });
    },
    read: (of) => call(memory(of, '')),
    write: (of, input) => send('PUT', memory(of, ''), bodyOf(input)),
    file: (of, { path, startLine, lineCount }) => call(memory(of, '/file', { path, startLine, lineCount })),
    writeFile: (of, { path, ...input }) => send('PUT', memory(of, '/file', { path }), bodyOf(input)),
    append: (of, { path, ...input }) => send('POST', memory(of, '/file', { path }), input),
    removeFile: (of, { path, by }) => call(memory(of, '/file', { path, by }), { method: 'DELETE' }),
    renameFile: (of, { path, ...body }) => send('POST', memory(of, '/file/rename', { path }), body),
    tree: (of, { path }) => call(memory(of, '/tree', { path })),
    files: (of) => call(memory(of, '/files')),
    search: (of, { query, limit }) => call(memory(of, '/search', { query, limit })),
    backend: (of) => call(memory(of, '/backend')),
    insights: (of) => call(memory(of, '/insights')),
    writeInsights: (of, input) => send('PUT', memory(of, '/insights'), bodyOf(input)),
    extract: (of, body) => send('POST', memory(of, '/extract'), body),
    audit: (of) => call(memory(of, '/audit')),
    preview: (of) => call(address(of, '/projection')),
    project: ({ tenant, user, workspace }) =>
      send('POST', `/v1/workspaces/${encodeURIComponent(workspace)}/projection`, { tenant, user }),
    runs: async (of, { limit, work }) => {
      type Runs = { runs: Awaited<ReturnType<WorkspaceCalls['runs']>> };
      return (await call<Runs>(address(of, '/runs', { limit, work }))).runs;
    },
    run: async (of, id) => {
      type One = { run: Awaited<ReturnType<WorkspaceCalls['run']>> };
      return (await call<One>(address(of, `/runs/${encodeURIComponent(id)}`))).run;
    },
    undoRun: ({ tenant, user, workspace }, id, { by }) => {
      const run = `/v1/workspaces/${encodeURIComponent(workspace)}/runs/${encodeURIComponent(id)}`;
      return send('POST', `${run}/undo`, { tenant, user, by });
    },
  };
}
