/** The same request as a command and as a program. */
import { isObject } from './dom.js';
import { designPaths } from './print.js';

/** @typedef {import('./preview.js').Design} Design */

/**
 * @param {string} base of the API
 * @param {Design} design
 * @param {unknown} body
 */
export const curlOf = (base, design, body) => `\
# PORTAL_CLIENT_ID and PORTAL_CLIENT_SECRET: a client with the scope pdf.
TOKEN=$(curl -sS --fail-with-body -u "$PORTAL_CLIENT_ID:$PORTAL_CLIENT_SECRET" \\
  -d grant_type=client_credentials -d scope=pdf ${quoted(`${base}/oauth/token`)} |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

curl -sS --fail-with-body -o brochure.pdf ${quoted(base + designPaths[design])} \\
  -H "Authorization: Bearer $TOKEN" -H 'Accept: application/pdf' \\
  -H 'Content-Type: application/json' --data-binary @- <<'JSON'
${JSON.stringify(body, null, 2)}
JSON
`;

/** For a shell. @param {string} text */
const quoted = text => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * @param {string} base
 * @param {Design} design
 * @param {unknown} body
 */
export function typeScriptOf(base, design, body) {
  const { list = [], ...options } = isObject(body) ? body : {};
  return `\
import { createPortalClient } from 'portal-service-client';
import { saveTo } from 'portal-service-client/node';

const portal = createPortalClient({
  baseUrl: ${literal(base)},
  clientId: process.env.PORTAL_CLIENT_ID ?? '',
  clientSecret: process.env.PORTAL_CLIENT_SECRET ?? '',
});

const listings = ${literal(list)};

const submitted = await portal.submitPdf(listings, ${literal({ design, ...options })});
const job = await portal.waitForJob(submitted);
if (job.state !== 'succeeded') throw new Error(\`\${job.state}: \${job.error?.detail}\`);
await saveTo('brochure.pdf', await portal.download(job));
`;
}

/**
 * @param {unknown} value
 * @param {string} indent
 * @returns {string}
 */
function literal(value, indent = '') {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map(item => literal(item, inner))
    : Object.entries(value).map(
        ([name, member]) =>
          `${/^[a-z_$][\w$]*$/i.test(name) && name !== '__proto__' ? name : `[${textLiteral(name)}]`}: ${literal(member, inner)}`,
      );
  const [open, close] = isList ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  const short = `${open}${isList ? '' : ' '}${members.join(', ')}${isList ? '' : ' '}${close}`;
  if (short.length + indent.length < 100 && !short.includes('\n')) return short;
  return `${open}\n${members.map(member => `${inner}${member},`).join('\n')}\n${indent}${close}`;
}

/** @param {string} text */
function textLiteral(text) {
  const json = JSON.stringify(text);
  return text.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
