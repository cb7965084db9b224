import { type ApiToken, createToken, listTokens, revokeToken, type TokenRole } from '@slowwave/db';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import type { TokensPage } from './operator-calls.ts';
import { when } from './print.ts';
import { tableLines } from './table.ts';

const DAY_MS = 86_400_000;

export interface CreateTokenArguments {
  tenant: string;
  name: string;
  role: TokenRole;
  speaksForUser?: boolean;
  /** From now; absent: until it is revoked. */
  days?: number;
  json: boolean;
}

/** Makes a token and prints its secret, this once. @returns exit code */
export async function createTokenCommand(
  context: CommandContext,
  { json, days, ...given }: CreateTokenArguments,
): Promise<number> {
  const { terminal } = context;
  const at = Date.now();
  const expiresAt = days === undefined ? null : at + days * DAY_MS;
  const made = await anywhere(context, {
    service: (client) => client.makeToken({ ...given, expiresAt }),
    database: async (database) => ({
      tenant: given.tenant,
      ...(await database.withTenant(given.tenant, (tx) =>
        createToken(tx, { ...given, expiresAt, createdBy: 'command line', at }),
      )),
    }),
  });
  if (json) terminal.line(JSON.stringify(made));
  else {
    // Alone on its line, and alone on standard output: it can be piped to where it is kept.
    terminal.line(made.secret);
    terminal.error(
      `token ${made.token.id} (${printable(given.name)}, ${given.role}) of ${printable(made.tenant)}${expiresAt === null ? '' : `, until ${when(expiresAt)}`}; it is not shown again`,
    );
  }
  return EXIT.ok;
}

export interface TokensArguments {
  tenant: string;
  limit: number;
  cursor?: string;
  json: boolean;
}

/** Lists the tokens of a tenant. @returns exit code */
export async function tokensCommand(
  context: CommandContext,
  { json, ...of }: TokensArguments,
): Promise<number> {
  const { terminal } = context;
  const page = await anywhere<TokensPage>(context, {
    service: (client) => client.tokens(of),
    async database(database) {
      const { rows, nextCursor } = await database.withTenant(of.tenant, (tx) => listTokens(tx, of));
      return { tenant: of.tenant, tokens: rows, nextCursor };
    },
  });
  if (json) terminal.line(JSON.stringify(page));
  else if (page.tokens.length === 0) terminal.line('no token: slowwave token create NAME makes one');
  else {
    for (const line of tokenTable(page.tokens, { columns: terminal.columns, at: Date.now() }))
      terminal.line(line);
    if (page.nextCursor !== null) terminal.line(terminal.dim(`more: --cursor ${page.nextCursor}`));
  }
  return EXIT.ok;
}

function stateOf({ revokedAt, expiresAt }: ApiToken, at: number): string {
  if (revokedAt !== null) return `revoked ${when(revokedAt)}`;
  if (expiresAt === null) return 'good';
  return expiresAt <= at ? `expired ${when(expiresAt)}` : `until ${when(expiresAt)}`;
}

export function tokenTable(
  tokens: readonly ApiToken[],
  { columns, at }: { columns: number | null; at: number },
): string[] {
  const rows = tokens.map((token) => [
    token.id,
    printable(token.name),
    token.role,
    stateOf(token, at),
    when(token.lastUsedAt),
    printable(token.createdBy),
  ]);
  return tableLines(['TOKEN', 'NAME', 'ROLE', 'STATE', 'LAST USED', 'MADE BY'], rows, columns);
}

export interface RevokeTokenArguments {
  token: string;
  tenant: string;
  json: boolean;
}

/** Ends a token at once. @returns exit code */
export async function revokeTokenCommand(
  context: CommandContext,
  given: RevokeTokenArguments,
): Promise<number> {
  const { terminal } = context;
  const { token: id, tenant, json } = given;
  const unknown = () =>
    new UsageError(`${printable(tenant)} has no token ${printable(id)}: slowwave token list shows their ids`);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw unknown();
  const revoked = await anywhere(context, {
    service: (client) => client.revokeToken(id, { tenant }),
    async database(database) {
      const token = await database.withTenant(tenant, (tx) =>
        revokeToken(tx, { tenant, id, at: Date.now() }),
      );
      if (token === null) throw unknown();
      return { tenant, token };
    },
  });
  terminal.line(
    json ? JSON.stringify(revoked) : `token ${id} (${printable(revoked.token.name)}) lets nobody in any more`,
  );
  return EXIT.ok;
}
