import ipaddr from 'ipaddr.js';

/** What the internet routes as ordinary addresses of IPv6; everything else there is for some special purpose. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** Networks for documentation and tests that lie in it. */
const SPECIAL_V6 = ['2001:db8::/32', '2001::/23', '2002::/16', '3fff::/20'].map((cidr) =>
  ipaddr.parseCIDR(cidr),
);

/**
 * Whether an IP address is one of the public internet: no loopback, private, link-local, shared, multicast, reserved or documentation
 * address, and none of IPv6 that stands for one of IPv4.
 * @param address as text, without brackets; a zone makes it local
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  return parsed.match(GLOBAL_UNICAST) && !SPECIAL_V6.some((network) => parsed.match(network));
}

/** Why a URL cannot be a webhook, for whoever registers it; null: it can. What its name stands for is looked at when it is called. */
export function urlProblem(url: string, privateAddresses: boolean): string | null {
  if (!URL.canParse(url)) return 'expected a URL such as https://example.com/hooks';
  const { protocol, username, password, hostname, hash } = new URL(url);
  if (protocol !== 'https:' && !(privateAddresses && protocol === 'http:')) {
    return privateAddresses
      ? 'expected a URL that starts with https:// or http://'
      : 'expected a URL that starts with https://; http is for SLOWWAVE_WEBHOOK_PRIVATE_ADDRESSES=allow only';
  }
  if (username !== '' || password !== '') return 'expected a URL without user and password';
  if (hash !== '') return 'expected a URL without a fragment';
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (!privateAddresses && ipaddr.isValid(literal) && !isPublicAddress(literal)) {
    return 'expected a public address; private ones are for SLOWWAVE_WEBHOOK_PRIVATE_ADDRESSES=allow only';
  }
  return null;
}
