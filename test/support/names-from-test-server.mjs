/**
 * Preloaded into a service process (`--import`): resolves names that end in `.test` or `.localhost`, and names without a
 * dot, with the test's DNS server TEST_DNS_SERVER, as a resolver with `search search.test` does. The system's resolver
 * cannot use a loopback port; all other code of the process is unchanged.
 */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const resolver = new dns.Resolver({ timeout: 2_000, tries: 1 });
resolver.setServers([process.env.TEST_DNS_SERVER]);
const systemLookup = dns.lookup;

dns.lookup = async (hostname, options) => {
  const name = hostname.replace(/\.$/, '');
  if (!/\.(test|localhost)$/.test(name) && (name.includes('.') || name === 'localhost')) {
    return await systemLookup(hostname, options);
  }
  const full = name.includes('.') ? name : `${name}.search.test`;
  const [four, six] = await Promise.allSettled([resolver.resolve4(full), resolver.resolve6(full)]);
  const found = [
    ...(four.value ?? []).map(address => ({ address, family: 4 })),
    ...(six.value ?? []).map(address => ({ address, family: 6 })),
  ];
  if (found.length === 0) throw four.reason ?? six.reason;
  return options?.all === true ? found : found[0];
};
syncBuiltinESMExports();
