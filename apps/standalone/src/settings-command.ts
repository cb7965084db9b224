import { readTenantSettings, setTenantSettings, type TenantSettings } from '@slowwave/db';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT } from './exit.ts';

export interface SettingsArguments {
  tenant: string;
  /** Left out: the settings are only shown. */
  batches?: 'allow' | 'forbid';
  json: boolean;
}

/** Shows what a tenant allows, or says it. @returns exit code */
export async function settingsCommand(context: CommandContext, given: SettingsArguments): Promise<number> {
  const { tenant, batches, json } = given;
  const change = batches === undefined ? null : { batches: batches === 'allow' };
  const settings = await anywhere<TenantSettings>(context, {
    service: (client) => client.tenantSettings({ tenant }, change),
    database: (database) =>
      database.withTenant(tenant, (tx) =>
        change === null
          ? readTenantSettings(tx, tenant)
          : setTenantSettings(tx, { tenant, at: Date.now(), ...change }),
      ),
  });
  const { terminal } = context;
  if (json) terminal.line(JSON.stringify({ tenant, batches: settings.batches }));
  else terminal.line(lineOf(settings));
  return EXIT.ok;
}

function lineOf({ batches }: TenantSettings): string {
  return batches
    ? 'batches: allowed, where the service is configured to use them (SLOWWAVE_BATCH)'
    : 'batches: forbidden, every question is asked directly';
}
