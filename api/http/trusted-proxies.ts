/** The setting that names the proxies before the service. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const error = 'must be addresses or CIDRs, comma-separated, such as 10.0.0.0/8,192.168.1.5';

export const proxyAddresses = z
  .string()
  .transform(text => text.split(',').map(part => part.trim()))
  .pipe(z.array(z.string().refine(part => ipaddr.isValid(part) || ipaddr.isValidCIDR(part), error)));
