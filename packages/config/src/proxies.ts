import type { RawConfig } from './read.ts';
import { text } from './values.ts';

const HOPS_MAX = 10;
const NAMED = ['loopback', 'linklocal', 'uniquelocal'];
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** Which proxies are believed: none, a number of them, or those at these addresses. */
export function trustProxyOf(raw: RawConfig, mistakes: string[]): false | number | string[] {
  const given = text(raw.SLOWWAVE_TRUST_PROXY) ?? 'off';
  if (given === 'off') return false;
  const hops = Number(given);
  if (Number.isInteger(hops) && hops >= 1 && hops <= HOPS_MAX) return hops;
  const entries = given.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => NAMED.includes(entry) || isNetwork(entry))) return entries;
  mistakes.push(
    `SLOWWAVE_TRUST_PROXY: expected off, a number of proxies from 1 to ${HOPS_MAX}, or addresses and networks such as 10.0.0.5, 172.18.0.0/16, ${NAMED.join(', ')}`,
  );
  return false;
}

/** An IP address, or one with the length of its prefix. */
function isNetwork(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/');
  if (more.length > 0) return false;
  const isV4 = IPV4.test(address);
  if (!isV4 && !(/^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`))) return false;
  return (
    prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (isV4 ? 32 : 128))
  );
}
