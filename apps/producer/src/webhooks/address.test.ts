import { describe, expect, it } from 'vitest';
import { isPublicAddress, urlProblem } from './address.ts';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'];
const OTHERS = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
];

describe('public addresses', () => {
  it('are those of the internet', () => {
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('are none that stand for a private, local or special one, in whatever way', () => {
    expect(OTHERS.filter(isPublicAddress)).toEqual([]);
  });
});

describe('the URL of a webhook', () => {
  it('is https to a public place, without credentials and fragment', () => {
    expect(urlProblem('https://example.com/hooks?key=1', false)).toBeNull();
    expect(urlProblem('https://[2606:4700:4700::1111]:8443/', false)).toBeNull();
    const refused = {
      'no url': /expected a URL such as/,
      'http://example.com/': /https/,
      'ftp://example.com/': /https/,
      'https://ana:secret@example.com/': /without user/,
      'https://ana@example.com/': /without user/,
      'https://example.com/#x': /fragment/,
      'https://127.0.0.1/': /public address/,
      'https://2130706433/': /public address/,
      'https://0x7f.1/': /public address/,
      'https://[::1]/': /public address/,
      'https://[::ffff:7f00:1]/': /public address/,
    };
    for (const [url, why] of Object.entries(refused)) {
      expect(urlProblem(url, false), url).toMatch(why);
      expect(urlProblem(url, false)).not.toContain('secret');
    }
  });

  it('may be http and private where that is allowed, and nothing else', () => {
    expect(urlProblem('http://127.0.0.1:9000/', true)).toBeNull();
    expect(urlProblem('http://10.0.0.1/', true)).toBeNull();
    expect(urlProblem('file:///etc/passwd', true)).toMatch(/https/);
    expect(urlProblem('http://ana:secret@10.0.0.1/', true)).toMatch(/without user/);
  });
});
